// tries: think in Node's worker threads in the opponent's turn
// must: play on or time or crash
// walls: freezing
console.error("TRIED");
const { Worker } = require("worker_threads");
const code = "let n = 0; for (;;) n++";
let asked = false;
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "start") console.log('{"type":"ready"}');
    else if (message.type === "end") process.exit(0);
    else if (message.type === "move") {
      const { user, system } = process.cpuUsage();
      console.error(`CPU ${Math.round((user + system) / 1000)}`);
      if (!asked) {
        new Worker(code, { eval: true }).on("error", () => 0);
        asked = true;
      }
      console.log(JSON.stringify({ move: message.legal[0] }));
    }
  });
