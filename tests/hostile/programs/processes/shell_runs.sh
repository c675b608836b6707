#!/bin/sh
# tries: run programs from a shell, which finds none, and end by exec
# must: crash
# walls: seccomp, root
# each: subshell exec pipe background
echo TRIED >&2
read -r line
echo '{"type":"ready"}'
read -r line
case $2 in
subshell) x=$(echo GOT-THROUGH a process of its own >&2) ;;
exec) exec /usr/bin/env echo GOT-THROUGH ;;
pipe) : | echo GOT-THROUGH a pipe between processes >&2 ;;
background) echo GOT-THROUGH a second process >&2 & ;;
esac
exit 3
