// Two runs side by side, both stopped: one by leaving its events, the other by a signal. Nothing of them is left.
import { createAgent } from "warder";

const agent = createAgent({ policy: "policy.yaml", model: "scripted:stop.yaml", workspace: "../demo/repository" });
const stop = new AbortController();
const other = agent.run("Wait.", { signal: stop.signal });
const run = agent.run("Wait.");
for await (const event of run) if (event.kind === "tool-start") break;
stop.abort();
const ends = await Promise.all([run.result, other.result]);
console.log(ends.map(({ end }) => end.kind).join(", "));
