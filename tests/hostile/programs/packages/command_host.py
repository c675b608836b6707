# tries: let the platform start programs of the host
# must: start
# walls: root
# each: /usr/bin/python3 /usr/bin/env /usr/bin/perl /usr/sbin/init bwrap mount su ../../bin/busybox
import lib

# === cardroom.toml ===
command = ["@ARGUMENT@", "-c", "print('GOT-THROUGH', flush=True)"]
