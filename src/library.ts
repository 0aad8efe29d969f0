/**
 * What `import "warder"` loads: names, and next to nothing behind them. Each function is loaded when it is first called, so that a program that may never
 * run an agent does not wait for one. Its types are those of index.ts.
 */
import "./entries/needs-node.ts";
import { createRequire } from "node:module";
import type * as Library from "./index.ts";

export { AgentError } from "./base/errors.ts";

const load = createRequire(import.meta.url);
const ending = import.meta.url.slice(-3);

type Called = (...given: readonly unknown[]) => unknown;
type Name = Exclude<keyof typeof Library, "AgentError">;

function later<Of extends Name>(file: string, name: Of, nameThere: string = name): (typeof Library)[Of] {
  let found: Called | undefined;
  const called: Called = (...given) => (found ??= (load(`./${file}${ending}`) as Record<string, Called>)[nameThere] as Called)(...given);
  return called as (typeof Library)[Of];
}

export const createAgent = later("app/library/agent", "createAgent");
export const createInbox = later("agent/inbox", "createInbox");
export const callbackChannel = later("approvals/callback-channel", "callbackChannel");
export const dockerRuntime = later("app/setup/runtimes", "dockerRuntime", "chooseDocker");
export const bubblewrapRuntime = later("app/setup/runtimes", "bubblewrapRuntime", "chooseBubblewrap");
export const withReadySandboxes = later("app/setup/runtimes", "withReadySandboxes");
export const openRun = later("app/run/open", "openRun");
export const runTask = later("app/run/run", "runTask");
export const resumeRun = later("app/run/resume", "resumeRun");
export const loadPolicy = later("config/policy/load", "loadPolicy");
export const readContext = later("app/setup/context", "readContext");
export const checkCall = later("gate/check", "checkCall");
export const checkCommand = later("gate/check", "checkCommand");
export const analyseCommand = later("shell/analyse", "analyseCommand");
export const decide = later("policy/deciding/evaluate", "decide");
export const defineTool = later("tools/contract/define", "defineTool", "defineOwnTool");
export const staticTools = later("tools/contract/static-tools", "staticTools");
export const trustedError = later("tools/contract/result", "trustedError");
export const untrustedError = later("tools/contract/result", "untrustedError");
export const untrustedText = later("tools/contract/result", "untrustedText");
export const createRegistry = later("tools/registry", "createRegistry");
