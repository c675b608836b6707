#!/bin/sh
# Builds the source distribution and, from it, the wheel with compiled rules; then installs the
# wheel in an empty environment, plays and verifies a match with it, and serves a site from it.
# Usage: scripts/dist.sh
set -eu
cd "$(dirname "$0")/.."
bin=$PWD/.venv/bin
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT

rm -rf dist
"$bin/uv" build --quiet --out-dir dist
wheel=$PWD/$(ls dist/*.whl)

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

"$empty/bin/python" -m pip install -qq --disable-pip-version-check "$wheel[server,embedded]"
bin/python - <<'PYTHON'
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
command = ["bin/cardroom", "up", "--folder", "site", "--port", str(port), "--workers", "1"]
site = subprocess.Popen(command)
try:
    until = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/games/cassino/rules/").close()
            break
        except urllib.error.URLError:
            if site.poll() is not None or time.monotonic() > until:
                raise SystemExit("`cardroom up` serves no page from the wheel.")
            time.sleep(0.5)
finally:
    site.send_signal(signal.SIGINT)
    site.wait(60)
PYTHON
