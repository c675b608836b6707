#!/bin/sh
# Style of CSS and JavaScript, types of JavaScript, with what scripts/setup.sh has put into
# node_modules. Where npm could not bring it there is nothing to lint with: that is said, and where
# CI is set it is an error. Usage: scripts/lint_pages.sh
set -eu
cd "$(dirname "$0")/.."

if [ -e node_modules/.installed ]; then
    node_modules/.bin/biome check --error-on-warnings
    node_modules/.bin/tsc
else
    echo "CSS and JavaScript are not linted: npm brought no Biome and no TypeScript." >&2
    [ -z "${CI:-}" ]
fi
