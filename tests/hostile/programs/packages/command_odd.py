# tries: start a file that is not a program
# must: start
# walls: package, referee
# each: ./bot.py ./cardroom.toml . / -c --help /dev/null ~ $HOME /tmp/bot /cardroom/start.pyc
import lib

# === cardroom.toml ===
command = ["@ARGUMENT@"]
