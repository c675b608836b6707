# tries: let the host's shell run a line
# must: start
# walls: root, seccomp
import lib

# === cardroom.toml ===
command = ["/bin/sh", "-c", "echo TRIED >&2; cat /etc/passwd >&2 && echo GOT-THROUGH >&2; exit 3"]
