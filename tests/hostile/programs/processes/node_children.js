// tries: start processes from Node
// must: play on
// walls: seccomp, rlimits, root
console.error("TRIED");
const { spawnSync, execSync, fork } = require("child_process");
const attempt = (what, call) => {
  try {
    const done = call();
    if (done && done.error) throw done.error;
    console.error(`GOT-THROUGH ${what}`);
  } catch (error) {
    console.error(`REFUSED ${what}: ${error.message.split("\n")[0]}`);
  }
};
let asked = 0;
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "start") {
      attempt("true", () => spawnSync("/bin/true"));
      attempt("itself", () => spawnSync(process.execPath, ["-e", "1"]));
      attempt("shell", () => execSync("id"));
      console.log('{"type":"ready"}');
    } else if (message.type === "move") console.log(JSON.stringify({ move: message.legal[0] }));
    else if (message.type === "end") process.exit(0);
  });
