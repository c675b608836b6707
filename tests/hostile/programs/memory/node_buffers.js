// tries: keep buffers outside Node's heap
// must: play on or crash or time
// walls: rlimits, memory watch, cgroup
console.error("TRIED");
const kept = [];
let held = 0;
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "start") return console.log('{"type":"ready"}');
    if (message.type === "end") process.exit(0);
    if (message.type !== "move") return;
    if (held > 384) console.error(`GOT-THROUGH ${held} MiB held`);
    for (let n = 0; n < 30; n++, held++) kept.push(Buffer.alloc(1 << 20, 1));
    console.log(JSON.stringify({ move: message.legal[0] }));
  });
