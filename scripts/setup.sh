#!/bin/sh
# Installs everything that `make demo` (demo), an installed site (site), `make test` (test), `make bench`
# (bench), `make audit` (audit) or `make mutants` (mutants) needs: system packages if that is allowed, a
# virtual environment, hashed requirements. Does nothing if nothing has changed since the last run.
# Usage: scripts/setup.sh demo|site|test|bench|audit|mutants
set -eu

want=${1:?demo, site, test, bench, audit or mutants}
case $want in
    demo | site) sets="site" ;;
    test) sets="test" ;;
    bench) sets="test bench" ;;
    audit) sets="audit" ;;
    mutants) sets="test mutants" ;;
    *) echo "No set of requirements is called $want. The sets are demo, site, test, bench, audit and mutants." >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
venv=.venv

say() { printf '%s\n' "$*" >&2; }

# --- system packages -----------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

apt_update() {
    [ -n "${updated:-}" ] || as_root apt-get update -qq >&2 || true
    updated=yes
}

apt_install() {
    say "Installing system packages: $*"
    apt_update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

good_python() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

can_compile() {
    "$1" -c 'import ensurepip, os, sysconfig, venv; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null
}

# The distribution's Python comes before the path's: version managers build theirs without optimizations, which
# costs a sixth more time, and often in a home folder that services of other users cannot read.
find_python() {
    system=/usr/bin/python3
    can_compile "$system" || system=
    for candidate in ${PYTHON:-} $system python3 python3.13 python3.12 python3.11; do
        if good_python "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
}

has_browser() {
    for browser in ${CARDROOM_CHROMIUM:-} chromium-headless-shell chromium chromium-browser google-chrome; do
        command -v "$browser" >/dev/null 2>&1 && return
    done
    ls "$HOME"/.cache/ms-playwright/chromium-*/chrome-linux*/chrome >/dev/null 2>&1
}

# Without windows to draw it takes half the time. A system that has neither gets Playwright's own below.
browser_package() {
    for package in chromium-headless-shell chromium; do
        apt-cache show "$package" >/dev/null 2>&1 && echo "$package" && return
    done || true
}

has_postgres() {
    command -v initdb >/dev/null 2>&1 && command -v postgres >/dev/null 2>&1 && return
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1
}

has_library() {
    /sbin/ldconfig -p 2>/dev/null | grep -q "$1"
}

missing_packages() {
    good_python "$(find_python)" || echo python3
    python=$(find_python)
    if [ -n "$python" ]; then
        "$python" -c 'import ensurepip, venv' 2>/dev/null || case $python in
            /usr/bin/*) "$python" -c 'import sys; print(f"python{sys.version_info[0]}.{sys.version_info[1]}-venv")' ;;
            *) say "$python has no venv module, and it is not the system's." ;;
        esac
    else
        echo python3-venv
    fi
    command -v bwrap >/dev/null || echo bubblewrap
    if [ "$want" = test ] || [ "$want" = bench ]; then
        has_postgres || echo postgresql
        command -v cc >/dev/null || echo gcc libc6-dev
    fi
    if [ "$want" = test ]; then
        has_browser || browser_package
        # Playwright's Node.js needs libatomic; the starter bot in JavaScript needs Node.js.
        has_library libatomic.so.1 || echo libatomic1
        command -v node >/dev/null || echo nodejs
    fi
}

if [ "$want" = test ] && ! has_browser && may_install; then
    apt_update # needed to know the available browsers
fi
packages=$(missing_packages | tr '\n' ' ' | sed 's/ *$//')
if [ -n "$packages" ]; then
    # shellcheck disable=SC2086  # a list of package names is meant to be split
    if may_install && apt_install $packages; then
        packages=$(missing_packages | tr '\n' ' ' | sed 's/ *$//')
    fi
fi
if [ -n "$packages" ]; then
    say "Missing on this machine: $packages"
    say "This script could not install them. Run this once, then try again:"
    say "    sudo apt-get install $packages"
    # A site can run without a sandbox, but not without the other packages.
    [ "$sets/$packages" = site/bubblewrap ] || exit 1
    say "Continuing without a sandbox: only house bots play, and uploads are refused."
fi

python=$(find_python)
if [ -z "$python" ]; then
    say "Cardroom needs Python 3.11 or newer; this machine has $(python3 --version 2>&1 || echo none)."
    say "Install one and pass its path: make PYTHON=/path/to/python3.11 ..."
    exit 1
fi

# --- virtual environment -------------------------------------------------------------------------

stamp_of() {
    { "$python" --version; cat "requirements/$1.txt" pyproject.toml; } | cksum
}

is_installed() {
    [ "$(cat "$venv/.installed-$1" 2>/dev/null)" = "$(stamp_of "$1")" ] ||
        { [ "$1" = site ] && is_installed test; }
}

if [ "$("$venv/bin/python" --version 2>/dev/null)" != "$("$python" --version)" ]; then
    say "Creating the virtual environment $venv with $("$python" --version)"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi

# uv needs a seventh of pip's processor time. Where it fails, as behind a package index that only pip's
# settings name, pip does the same. Neither compiles byte code: most modules are never imported.

pip_install() {
    "$venv/bin/python" -m pip install -qq --disable-pip-version-check --no-compile "$@"
}

install() {
    [ -x "$venv/bin/uv" ] || pip_install --require-hashes -r requirements/uv.txt
    "$venv/bin/uv" pip install -q --python "$venv/bin/python" "$@" 2>"$venv/uv.log" ||
        { say "uv cannot install it ($venv/uv.log says why), so pip does."; pip_install "$@"; }
}

# --- compiled rules ------------------------------------------------------------------------------

# Compiling takes about a minute, once per version of the sources and user. It runs in its own process
# group, in parallel with the installation, and ends with this script.
compiling=
log=build/compiling.log

end_compiling() {
    [ -z "$compiling" ] || kill -- "-$compiling" 2>/dev/null || true
}

if [ "$sets" = site ] && [ "${CARDROOM_COMPILE:-1}" != 0 ]; then
    if ! command -v "${CC:-cc}" >/dev/null; then
        say "There is no C compiler, so the rules stay interpreted: the same results, several times slower."
    else
        is_installed site || install --require-hashes -r requirements/install.txt
        mkdir -p build
        trap end_compiling EXIT
        trap 'exit 130' INT
        trap 'exit 143' TERM HUP
        setsid "$venv/bin/python" hatch_build.py >"$log" &
        compiling=$!
    fi
fi

for set in $sets; do
    is_installed "$set" && continue
    say "Installing requirements/$set.txt"
    install --require-hashes -r "requirements/$set.txt"
    install --no-deps --no-build-isolation --editable .
    stamp_of "$set" > "$venv/.installed-$set"
done

# --- byte code -----------------------------------------------------------------------------------

# Services of other users cannot write it next to root's files, and would compile at each start.
if [ "$want" = site ] && [ "$(id -u)" = 0 ]; then
    "$venv/bin/python" -m compileall -qq -j 0 "$venv"/lib/python3*/site-packages bots engine platform tournaments || true
fi

# --- what checks pages, CSS and JavaScript ------------------------------------------------------

stamp_of_node() {
    cat package.json package-lock.json .npmrc | cksum
}

if [ "$want" = test ] && [ "$(cat node_modules/.installed 2>/dev/null)" != "$(stamp_of_node)" ]; then
    say "Installing package-lock.json"
    command -v npm >/dev/null || { may_install && apt_install npm; } || true
    if command -v npm >/dev/null && npm ci --silent >&2; then
        stamp_of_node > node_modules/.installed
    else
        say "npm is missing, or cannot fetch package-lock.json (npm ci says why)."
        say "Continuing without it: CSS and JavaScript are not linted, and axe checks no page."
        rm -rf node_modules
    fi
fi

if [ "$want" = test ] && ! has_browser; then
    say "No Chromium for the browser tests: fetching Playwright's own"
    "$venv/bin/playwright" install --with-deps chromium
fi

if [ -n "$compiling" ]; then
    wait "$compiling" || say "The rules stay interpreted; the compiler's output is in $log."
    compiling=
fi
