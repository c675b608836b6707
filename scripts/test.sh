#!/bin/sh
# Runs lint and the tests in parallel, because tests often wait. The tests of the engine run on its sources, all
# others on the compiled rules, as sites do. The output of lint and of the engine's tests comes last. Fails if any fails.
# With arguments for pytest, it runs these tests on the sources. Usage: scripts/test.sh [ARGUMENTS FOR PYTEST]
set -u
cd "$(dirname "$0")/.."

mkdir -p build
lint= engine= compiling=
trap 'kill $lint $engine $compiling 2>/dev/null; exit 130' INT
trap 'kill $lint $engine $compiling 2>/dev/null; exit 143' TERM HUP
if [ $# = 0 ]; then
    .venv/bin/python hatch_build.py >build/compiling.log 2>&1 &
    compiling=$!
fi
"${MAKE:-make}" --no-print-directory lint >build/lint.log 2>&1 &
lint=$!

# Compile all tests once in a fresh clone, instead of in each process.
[ -d tests/__pycache__ ] || .venv/bin/pytest --collect-only -q >/dev/null 2>&1

engine_status=0
if [ $# = 0 ]; then
    .venv/bin/pytest -q tests/engine >build/engine.log 2>&1 &
    engine=$!
    wait "$compiling" || cat build/compiling.log
    compiling=
    CARDROOM_COMPILE=1 .venv/bin/pytest -n auto --dist loadfile --no-loadscope-reorder --ignore=tests/engine
    status=$?
    wait "$engine"
    engine_status=$?
else
    .venv/bin/pytest -n auto --dist loadfile --no-loadscope-reorder "$@"
    status=$?
fi
wait "$lint"
lint_status=$?

echo
[ $# != 0 ] || cat build/engine.log
cat build/lint.log
[ "$lint_status" = 0 ] || echo "make lint failed: see above." >&2
[ "$engine_status" = 0 ] || echo "Tests of the engine failed: see above." >&2
[ "$status" = 0 ] || echo "Tests failed: see further above." >&2
[ "$status" = 0 ] && [ "$engine_status" = 0 ] && [ "$lint_status" = 0 ]
