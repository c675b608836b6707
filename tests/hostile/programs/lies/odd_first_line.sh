#!/usr/bin/env python3                                                                                                                                                                                                                                                [2J‮
# tries: crash, with a first line that brings control characters into the sentence about the fault
# must: crash
# walls: referee
import json
import sys

print("TRIED", file=sys.stderr)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "move" and message["n"] > 3:
        sys.exit(1)
    elif message["type"] == "move":
        print(json.dumps({"move": message["legal"][0]}), flush=True)
