#!/bin/sh
# Runs the tests and `make lint` in parallel, because tests often wait. Lint's output comes last.
# Fails if either fails. Usage: scripts/test.sh [ARGUMENTS OF PYTEST]
set -u
cd "$(dirname "$0")/.."

mkdir -p build
log=build/lint.log
"${MAKE:-make}" --no-print-directory lint >"$log" 2>&1 &
lint=$!
trap 'kill "$lint" 2>/dev/null; exit 130' INT
trap 'kill "$lint" 2>/dev/null; exit 143' TERM HUP

# Compile all tests once in a fresh clone, instead of in each process.
[ -d tests/__pycache__ ] || .venv/bin/pytest --collect-only -q >/dev/null 2>&1

.venv/bin/pytest -n auto --dist loadfile --no-loadscope-reorder "$@"
tests=$?
wait "$lint"
style=$?

echo
cat "$log"
[ "$style" = 0 ] || echo "make lint failed: see above." >&2
[ "$tests" = 0 ] || echo "Tests failed: see further above." >&2
[ "$tests" = 0 ] && [ "$style" = 0 ]
