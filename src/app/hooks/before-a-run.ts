import { rmSync } from "node:fs";
import { join } from "node:path";
import { newId } from "../../base/ids.ts";
import type { Hook } from "../../gate/hooks/hook.ts";
import { createRedaction, secretsIn } from "../../sandbox/redaction.ts";
import type { OpenOptions, Session } from "../../sandbox/runtime.ts";
import type { Records } from "../records/records.ts";
import type { WorkspaceContext } from "../setup/context.ts";
import { hooksOf, type OwnHooks, requireSoundHooks } from "./commands.ts";

type Asked = OwnHooks & {
  readonly open: (context: WorkspaceContext, options: Pick<OpenOptions, "runId" | "hidden">) => Promise<{ readonly session: Session }>;
};

/**
 * Does `work` with a run's hooks before the run is anybody's: the policy's commands for prompts have a sandbox that shows nothing of the workspace, which
 * another process may be changing. Throws what opening it throws.
 */
export async function withPromptHooks<T>(
  context: WorkspaceContext,
  { store, audit }: Pick<Records, "store" | "audit">,
  asked: Asked,
  work: (hooks: readonly Hook[]) => Promise<T>,
): Promise<T> {
  const { policy } = context;
  requireSoundHooks(policy, asked.hooks);
  const hooks = (policy.hooks ?? []).filter(({ on }) => on.includes("prompt"));
  if (hooks.length === 0) return await work(asked.hooks ?? []);
  const sealed = { ...policy, hooks, sandbox: { ...policy.sandbox, workspace: "none" as const, env: [], network: { allow: [] } } };
  const bare = { ...context, policy: sealed };
  const hidden = secretsIn(process.env, 8);
  const sandboxId = newId("run");
  try {
    const { session } = await asked.open(bare, { runId: sandboxId, hidden });
    try {
      const place = { audit: { ...audit, redact: createRedaction(hidden).text }, session };
      return await work(await hooksOf(bare, place, asked));
    } finally {
      await session.close();
    }
  } finally {
    rmSync(join(store.paths.runs, sandboxId), { recursive: true, force: true });
  }
}
