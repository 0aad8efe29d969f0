/** What `import "warder"` loads: on a Node.js that is too old it throws an error that says so; otherwise it is index.ts, whose types it has. */
import { createRequire } from "node:module";
import type * as Library from "./index.ts";
import { nodeFault } from "./base/node-version.ts";

const fault = nodeFault(process.versions.node);
if (fault !== null) throw new Error(fault);

// Loaded here and not imported: an import is looked through before anything runs.
const library = createRequire(import.meta.url)(`./index${import.meta.url.slice(-3)}`) as typeof Library;
export const { AgentError, analyseCommand, callbackChannel, checkCall, checkCommand, createAgent, createInbox, createRegistry, decide } = library;
export const { defineTool, loadPolicy, openRun, readContext, resumeRun, runTask, staticTools, trustedError, untrustedError, untrustedText } = library;
export const { withReadySandboxes } = library;
