#!/bin/sh
# tries: answer from a shell: with blanks, with a flood, with text that is not JSON
# must: garbage or illegal or time
# walls: referee
# each: blanks yes half
echo TRIED >&2
read -r line
echo '{"type":"ready"}'
read -r line
case $2 in
blanks) printf '   \n' ;;
yes) while :; do echo y; done ;;
half) printf '{"move":\n' ;;
esac
read -r line
