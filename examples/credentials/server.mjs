// An API that wants a token, for the walk in docs/guides/network.md: node server.mjs PORT KEY CERTIFICATE
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

const [port, key, cert] = process.argv.slice(2);
createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
  const isKnown = request.headers.authorization === `Bearer ${process.env.EXAMPLE_TOKEN}`;
  if (!isKnown) response.writeHead(401).end("Who are you?\n");
  else if (request.url === "/v1/me") response.end("You are the one with the token.\n");
  // A careless server: it repeats what it was sent.
  else response.end(`authorization: ${request.headers.authorization}\n`);
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
