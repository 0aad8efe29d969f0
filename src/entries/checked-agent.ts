/** What Node.js loads for `warder/agent`: agent.ts, once it is known to be new enough for it. */
import "./needs-node.ts";
import { createRequire } from "node:module";
import type * as Agent from "./agent.ts";

const whole = createRequire(import.meta.url)(`./agent${import.meta.url.slice(-3)}`) as typeof Agent;
export const { createAgent, createInbox, callbackChannel, bubblewrapRuntime, dockerRuntime, withReadySandboxes, openRun, runTask, resumeRun, createRegistry } =
  whole;
