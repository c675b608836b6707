// tries: exit as Node does: with an unhandled rejection and a status of its choice
// must: crash
// walls: kernel's word
console.error("TRIED");
process.on("exit", () => process.reallyExit(137));
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (JSON.parse(line).type === "start") console.log('{"type":"ready"}');
  else Promise.reject(new Error("no"));
});
