#!/bin/sh
# tries: exit as a shell does: by a signal to itself, by a failed exec, by exit 137
# must: crash or start
# walls: kernel's word
# each: kill exec exit unset
echo TRIED >&2
read -r line
echo '{"type":"ready"}'
read -r line
case $2 in
kill) kill -9 $$ ; kill -KILL 0 ;;
exec) exec /nothing/like/this ;;
unset) set -u; echo "$nothing" ;;
esac
exit 137
