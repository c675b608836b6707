// A Cardroom bot: one JSON object a line on standard input, answers on standard output.
// Log with console.error; whatever else goes to standard output must be an answer.
"use strict";
const readline = require("node:readline");

function choose(view, legal) {
  return legal[Math.floor(Math.random() * legal.length)];
}

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "start") say({ type: "ready" });
  if (message.type === "move") say({ move: choose(message.view, message.legal) });
});
