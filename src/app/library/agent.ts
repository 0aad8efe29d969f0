import type { Strategy } from "../../agent/calls/schedule.ts";
import { callbackChannel, type AskPerson } from "../../approvals/callback-channel.ts";
import type { ApprovalChannel } from "../../approvals/channel.ts";
import { AgentError } from "../../base/errors.ts";
import type { LoadedPolicy } from "../../config/policy/load.ts";
import { withScriptFrom } from "../../config/script-file.ts";
import { createHooks, type Hook } from "../../gate/hooks/hook.ts";
import type { Policy } from "../../policy/policy.ts";
import { parseModelNames } from "../../providers/contract/model-name.ts";
import type { ToolGate } from "../../tools/availability.ts";
import { BUILT_IN_TOOLS, createRegistry, type AnyTool } from "../../tools/registry.ts";
import type { OutputOf, OutputSchema } from "../../tools/run/structured-output.ts";
import type { OwnModel } from "../models/open-models.ts";
import { readContext } from "../setup/context.ts";
import { checkChoice, type ChosenRuntime } from "../setup/runtimes.ts";
import { startAgentRun, type AgentRun } from "./agent-run.ts";

export type AgentSpec = {
  /** A shipped policy, the path of a policy file, or what `loadPolicy` gave for this workspace. It is read once: every run of the agent has the same. */
  readonly policy: string | LoadedPolicy;
  /** `PROVIDER:NAME`, or several with commas, as `--model` takes it; or a provider of the program's own. */
  readonly model: string | OwnModel;
  /** The directory that its runs work in. */
  readonly workspace: string;
  /** Tools beside Warder's. Calling one is judged by its name. */
  readonly tools?: readonly AnyTool[];
  /** Functions around a run, its prompts and its calls. They only restrict. */
  readonly hooks?: readonly Hook[];
  /** What takes tools away from turn to turn. They only restrict. */
  readonly gates?: readonly ToolGate[];
  /** Who answers questions: a function, or channels. Absent: nobody is there, and a question is parked or denied, as the policy says. */
  readonly approvals?: AskPerson | readonly ApprovalChannel[];
  /** Where the sandboxes of its runs are: `dockerRuntime({ … })`, `bubblewrapRuntime()`. The policy names which; absent: as the environment says. */
  readonly runtime?: ChosenRuntime;
  /** How the calls of a turn are carried out; absent: up to eight at once, where they may. */
  readonly strategy?: Strategy;
};

const KEYS: Readonly<Record<keyof AgentSpec, "needed" | "optional">> = {
  policy: "needed",
  model: "needed",
  workspace: "needed",
  tools: "optional",
  hooks: "optional",
  gates: "optional",
  approvals: "optional",
  runtime: "optional",
  strategy: "optional",
};

type RunOptions = { readonly signal?: AbortSignal };

/** An agent: what its runs have in common. It holds nothing open. */
export type Agent = {
  readonly policy: Policy;
  /** Real path. */
  readonly workspace: string;
  /**
   * Starts a run, which goes on whether or not its events are read. Each is one of its own, also beside others. `signal` cancels it; `output` is the shape
   * that its result has to have.
   */
  run<Schema extends OutputSchema>(task: string, options: RunOptions & { readonly output: Schema }): AgentRun<OutputOf<Schema>>;
  run(task: string, options?: RunOptions): AgentRun;
};

/**
 * Makes an agent. Throws `AgentError` for what no run could begin with: a policy that cannot be loaded (`bad-policy`), a workspace or model that names
 * none (`usage`), tools and hooks that cannot be used (`bad-configuration`).
 */
export function createAgent(spec: AgentSpec): Agent {
  checkKeys(spec);
  const { policy, model: named, workspace, approvals, ...given } = spec;
  const context = readContext(policy, workspace);
  if (typeof named === "string") parseModelNames(named);
  const model = typeof named === "string" ? withScriptFrom(process.cwd(), named) : named;
  createRegistry(BUILT_IN_TOOLS, given.tools);
  createHooks(given.hooks);
  checkChoice(given.runtime, context.policy);
  const channels = typeof approvals === "function" ? [callbackChannel("program", approvals)] : approvals;
  function run<Output>(task: string, options: RunOptions & { readonly output?: OutputSchema } = {}): AgentRun<Output> {
    const { signal, output } = options;
    return startAgentRun<Output>(async (connection) => {
      checkRun(task, options);
      const { runTask } = await import("../run/run.ts");
      return await runTask(context, {
        ...given,
        ...connection,
        task,
        model,
        isUnattended: channels === undefined,
        ...(channels && { channels }),
        ...(output && { output }),
      });
    }, signal);
  }
  return { policy: context.policy, workspace: context.workspace, run };
}

function checkRun(task: string, options: RunOptions & { readonly output?: OutputSchema }): void {
  const unknown = Object.keys(options).find((key) => key !== "signal" && key !== "output");
  if (unknown !== undefined) throw new AgentError("usage", `A run takes no ${JSON.stringify(unknown)}.`, { remedy: "It takes signal and output." });
  if (task.trim() === "") throw new AgentError("usage", "A task is needed.");
}

/** A restriction that is misspelt would restrict nothing, and a program without types is told by nobody else. */
function checkKeys(spec: AgentSpec): void {
  const unknown = Object.keys(spec).find((key) => !Object.hasOwn(KEYS, key));
  if (unknown !== undefined)
    throw new AgentError("usage", `An agent takes no ${JSON.stringify(unknown)}.`, { remedy: `It takes ${Object.keys(KEYS).join(", ")}.` });
  const missing = Object.entries(KEYS).find(([key, need]) => need === "needed" && spec[key as keyof AgentSpec] === undefined);
  if (missing !== undefined) throw new AgentError("usage", `An agent needs a ${missing[0]}.`);
}
