#!/bin/sh
# Builds the source distribution and, from it, the wheel with compiled rules; then installs the
# wheel in an empty environment, and plays and verifies a match with it. Usage: scripts/dist.sh
set -eu
cd "$(dirname "$0")/.."
bin=$PWD/.venv/bin
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT

rm -rf dist
"$bin/uv" build --quiet --out-dir dist
wheel=$(ls dist/*.whl)

"$bin/python" -m venv "$empty"
"$empty/bin/python" -m pip install -qq --disable-pip-version-check "$wheel"
cd "$empty"
bin/cardroom play canasta/classic/2v2 house:greedy house:random --deals 1 --record record.json >/dev/null
bin/cardroom verify record.json
bin/python - <<'PYTHON'
from importlib.metadata import version
from engine.games.cassino import moves

kind = "interpreted: no C compiler was found" if moves.__file__.endswith(".py") else "compiled"
print(f"Cardroom {version('cardroom')} works where nothing else is installed; its rules are {kind}.")
PYTHON
