import { appendAudit, deferAudit } from "../../audit/log/log.ts";
import { systemClock } from "../../base/clock.ts";
import { AgentError } from "../../base/errors.ts";
import { commandHooks, type HookCommandRan } from "../../gate/hooks/command-hook.ts";
import { createHooks, type Hook } from "../../gate/hooks/hook.ts";
import type { CommandHook } from "../../policy/hook.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Session } from "../../sandbox/runtime.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import type { RunPlace } from "./recorded.ts";

/** What of a run's description concerns hooks. */
export type OwnHooks = {
  /** Hooks of an embedding program. */
  readonly hooks?: readonly Hook[];
  /** Told how each command of the policy's hooks ended. */
  readonly onHookCommand?: (ran: HookCommandRan, runId: string) => void;
};

type Place = Pick<RunPlace, "audit"> & { readonly session: Session };

/** Throws `bad-configuration` for hooks of an embedding program that cannot be used, alone or beside the policy's. */
export function requireSoundHooks({ hooks = [] }: Policy, own: readonly Hook[] = []): void {
  createHooks(own);
  const taken = hooks.find(({ id }) => own.some(({ name }) => name === id));
  if (taken === undefined) return;
  throw new AgentError(
    "bad-configuration",
    `The hook "${taken.id}" cannot be used: the policy has another of this name (${taken.at.file}:${String(taken.at.line)}).`,
  );
}

/** The hooks of a policy for one run. How each command ended is in the log before anything follows from it; then `tell` hears of it. */
export function recordedCommands(
  { policy, workspace }: Pick<WorkspaceContext, "policy" | "workspace">,
  { audit, session }: Place,
  tell: (ran: HookCommandRan, runId: string) => void = () => undefined,
): readonly Hook[] {
  return commandHooks(policy.hooks ?? [], {
    workspace,
    clock: systemClock,
    session,
    tell: (ran, runId) => {
      const { callId: call, isCached: cached, durationMs, ...rest } = ran;
      const payload = { kind: "hook-command", ...rest, call, cached, durationMs: Math.round(durationMs) } as const;
      if (call === null) appendAudit(audit, { run: runId, payload });
      else deferAudit(audit, runId, () => payload);
      tell(ran, runId);
    },
  });
}

/** The hooks of a run: the policy's first. Throws `bad-configuration` for one whose program is not in the sandbox. */
export async function hooksOf(context: Pick<WorkspaceContext, "policy" | "workspace">, place: Place, own: OwnHooks): Promise<readonly Hook[]> {
  await requirePrograms(context.policy, place.session);
  return [...recordedCommands(context, place, own.onHookCommand), ...(own.hooks ?? [])];
}

/** Throws `bad-configuration` for a hook whose program is not in the sandbox: it could only fail. */
async function requirePrograms(policy: Policy, session: Session): Promise<void> {
  const lacking = await lackingProgram(policy, session);
  if (lacking !== null)
    throw new AgentError("bad-configuration", `${lacking}.`, { remedy: "Name a program of the image, or choose an image that has it: warder image add" });
}

/** Which hook of a policy names a program that is not in the sandbox, as the beginning of a sentence; null: none. Throws `sandbox-unavailable`. */
export async function lackingProgram({ hooks = [] }: Policy, session: Session): Promise<string | null> {
  if (hooks.length === 0) return null;
  const missing = await session.lacks(hooks.map(programOf));
  const hook = missing === null ? undefined : hooks.find((each) => programOf(each) === missing);
  return hook === undefined
    ? null
    : `The hook ${hook.id} (${hook.at.file}:${String(hook.at.line)}) runs ${JSON.stringify(missing)}, which is not in the sandbox`;
}

const programOf = ({ argv }: CommandHook): string => argv[0] ?? "";
