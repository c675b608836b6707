# tries: give an invalid manifest
# must: refused
# walls: package
# each: = [] \0 name=1 runtime="ruby" formats=[] formats="x" seed="1" memory_mib=4096 network=true
import lib

# === cardroom.toml ===
@ARGUMENT@
