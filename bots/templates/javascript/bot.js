// A Cardroom bot: one JSON object per line on standard input, answers on standard output.
// Log with console.error: standard output is for answers only.
"use strict";
const readline = require("node:readline");

let state = 1; // the random generator's state; never 0

// A random integer from 0 to `limit` - 1, by xorshift. The same rng gives the same numbers.
function random(limit) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
}

function choose(view, legal) {
  return legal[random(legal.length)];
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "start") {
    state = parseInt(message.rng.slice(0, 8), 16) || 1;
    say({ type: "ready" });
  }
  if (message.type === "move") say({ move: choose(message.view, message.legal), n: message.n });
});
