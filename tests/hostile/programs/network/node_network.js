// tries: reach the network from Node
// must: play on or crash
// walls: seccomp, namespaces
console.error("TRIED");
const reach = () => {
  const say = (what) => () => console.error(`GOT-THROUGH ${what}`);
  const quiet = () => {};
  const calls = {
    tcp: () => require("net").connect(80, "127.0.0.1", say("tcp")).on("error", quiet),
    server: () => require("net").createServer().on("error", quiet).listen(0, say("server")),
    udp: () => require("dgram").createSocket("udp4").on("error", quiet).bind(0, say("udp")),
    names: () => require("dns").lookup("example.org", (error) => error || say("names")()),
    http: () => require("http").get("http://127.0.0.1/", say("http")).on("error", quiet),
  };
  for (const [what, call] of Object.entries(calls))
    try {
      call();
    } catch (error) {
      console.error(`REFUSED ${what}: ${error.code}`);
    }
};
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "start") {
      reach();
      setTimeout(() => console.log('{"type":"ready"}'), 50);
    } else if (message.type === "move") console.log(JSON.stringify({ move: message.legal[0] }));
    else if (message.type === "end") process.exit(0);
  });
