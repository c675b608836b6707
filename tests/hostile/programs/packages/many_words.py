# tries: give a command of the most words there may be, full of a shell's signs
# must: start
# walls: package
import lib

# === cardroom.toml ===
command = [
    "./bot.py",
    ";",
    "|",
    "&",
    "$(id)",
    "`id`",
    ">",
    "x",
    "\n",
    "\u001b[2J",
    "'",
    '"',
    "*",
    "?",
    "~",
]
