#!/bin/sh
# Checks the style of CSS and JavaScript and the types of JavaScript, with the packages that
# scripts/setup.sh installed in node_modules. Without them it prints a notice; if CI is set, it fails. Usage: scripts/lint_pages.sh
set -eu
cd "$(dirname "$0")/.."

if [ -e node_modules/.installed ]; then
    node_modules/.bin/biome check --error-on-warnings
    node_modules/.bin/tsc
else
    echo "CSS and JavaScript are not linted: npm could not install Biome and TypeScript." >&2
    [ -z "${CI:-}" ]
fi
