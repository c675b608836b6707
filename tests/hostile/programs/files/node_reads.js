// tries: read, write and list the host's files from Node
// must: play on
// walls: root, seccomp
console.error("TRIED");
const fs = require("fs");
const attempt = (what, call) => {
  try {
    call();
    console.error(`GOT-THROUGH ${what}`);
  } catch (error) {
    console.error(`REFUSED ${what}: ${error.code}`);
  }
};
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "start") {
      for (const path of ["/etc/passwd", "/proc/self/environ", "/var/lib/dpkg/status", "/usr/bin/perl", "/bin/bash"])
        attempt(path, () => fs.readFileSync(path));
      for (const path of ["/root", "/home", "/proc", "/sys", "/var", "/usr/share/doc"])
        attempt(path, () => fs.readdirSync(path));
      for (const path of ["/tmp/cardroom-hostile-mark", "x", "/usr/x", "/cardroom/x"])
        attempt(path, () => fs.writeFileSync(path, "x"));
      console.log('{"type":"ready"}');
    } else if (message.type === "move") console.log(JSON.stringify({ move: message.legal[0] }));
    else if (message.type === "end") process.exit(0);
  });
