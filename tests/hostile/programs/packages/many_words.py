# tries: give a command of maximum length, full of shell characters
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
