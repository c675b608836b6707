// tries: end as Node does: a promise that nobody caught, with a status of its choosing
// must: crash
// walls: kernel's word
console.error("TRIED");
process.on("exit", () => process.reallyExit(137));
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (JSON.parse(line).type === "start") console.log('{"type":"ready"}');
  else Promise.reject(new Error("no"));
});
