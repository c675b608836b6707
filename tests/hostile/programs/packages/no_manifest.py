# tries: give a manifest that is no manifest
# must: refused
# walls: package
# each: = [] \0 name=1 runtime="ruby" formats=[] formats="x" seed="1" memory_mib=4096 network=true
import lib

# === cardroom.toml ===
@ARGUMENT@
