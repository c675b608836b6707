#!/bin/sh
# tries: run the classic fork bomb
# must: crash
# walls: seccomp, rlimits
echo TRIED >&2
read -r line
echo '{"type":"ready"}'
read -r line
bomb() { bomb | bomb & }
bomb
(echo GOT-THROUGH >&2)
