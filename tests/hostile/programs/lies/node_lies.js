// tries: answer from Node with a move that is an object, through a socket's write queue
// must: garbage
// walls: referee
console.error("TRIED");
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (JSON.parse(line).type === "start") return console.log('{"type":"ready"}');
    for (let n = 0; n < 1000; n++) process.stdout.write('{"move":{"toString":"6C"}}\n');
  });
