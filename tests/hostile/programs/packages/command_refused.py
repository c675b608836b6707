# tries: give an invalid command, or one outside the package
# must: refused
# walls: package
# each: [] [""] ["./nothing"] 7 [7] ["a\u0000b"] [["a"]] {} "" ["./../bot.py"] ["./bot.py/x"]
import lib

# === cardroom.toml ===
command = @ARGUMENT@
