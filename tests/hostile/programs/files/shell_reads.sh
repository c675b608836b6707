#!/bin/sh
# tries: read and write the host's files with a shell's builtins
# must: crash or garbage
# walls: root, seccomp
echo TRIED >&2
read -r line
echo '{"type":"ready"}'
read -r line
for path in /etc/passwd /etc/hostname /proc/self/status /var/lib/dpkg/status; do
    { read -r line < $path; } 2>/dev/null && echo "GOT-THROUGH $path" >&2
done
for path in /tmp/cardroom-hostile-mark ./mark /usr/cardroom-hostile-mark; do
    { : > $path; } 2>/dev/null && echo "GOT-THROUGH wrote $path" >&2
done
for path in /usr/bin/*; do
    case $path in */gcc | */git | */perl | */bwrap | */dpkg) echo "GOT-THROUGH $path is there" >&2 ;; esac
done
exit 3
