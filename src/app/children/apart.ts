import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { keepHanded, keepHandedContent } from "../../gate/kept/handed.ts";
import type { Gate } from "../../gate/create-gate.ts";
import type { Hook } from "../../gate/hooks/hook.ts";
import type { Label } from "../../policy/label.ts";
import type { Session } from "../../sandbox/runtime.ts";
import { removeBranch } from "../../sandbox/turns/branch.ts";
import type { Records } from "../records/records.ts";
import { type Begun, beginningOf, collectChanges } from "./handing-over.ts";

/** What overlays of sub-agents' own are made of. `openBeside`: opens a further sandbox of the run, without a network, and the hooks that look at it. */
export type ApartPlace = {
  readonly records: Records;
  readonly workspace: string;
  readonly openBeside: (runId: string) => Promise<{ readonly session: Session; readonly hooks: readonly Hook[] }>;
};

/** A sandbox of a sub-agent's own, whose workspace began as that of its parent. Each way out of it closes it. */
export type Apart = {
  readonly session: Session;
  readonly hooks: readonly Hook[];
  /** It goes on later: what it changed stays in its overlay. */
  readonly leave: () => Promise<void>;
  /** Its parent gets what it changed, and the overlay is removed. Gives why that could not be; null: it could. */
  readonly handOver: (labels: readonly Label[]) => Promise<string | null>;
  readonly drop: () => Promise<void>;
};

type From = { readonly gate: Pick<Gate, "alone">; readonly session: Session };

/** Opens it, or goes on in it after a restart. Gives why there can be none, as a sentence. */
export async function openApart(place: ApartPlace, parent: From, runId: string): Promise<Apart | { readonly problem: string }> {
  const directory = directoryOf(place.records, runId);
  let session: Session | null = null;
  try {
    const known = readBegun(directory);
    // Without this file nothing was done in it.
    if (known === null) {
      removeBranch(directory);
      mkdirSync(directory, { mode: 0o700 });
      await parent.gate.alone(() => parent.session.branch({ runId, directory }));
    }
    const opened = await place.openBeside(runId);
    ({ session } = opened);
    const begun = known ?? (await beginning(directory, place.workspace, session));
    return { ...opened, ...endings(place, { runId, directory, session, begun }) };
  } catch (error) {
    await session?.close();
    removeBranch(directory);
    if (error instanceof AgentError) return { problem: error.problem };
    throw error;
  }
}

/** Removes the overlay that a sub-agent had which is over, if it left one: its process was killed. */
export function removeApart(records: Records, runId: string): void {
  const directory = directoryOf(records, runId);
  if (existsSync(directory)) removeBranch(directory);
}

const directoryOf = ({ store }: Records, runId: string): string => join(store.paths.runs, runId);
const begunIn = (directory: string): string => join(directory, "begun.json");

function readBegun(directory: string): Begun | null {
  const file = begunIn(directory);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Begun) : null;
}

async function beginning(directory: string, workspace: string, session: Session): Promise<Begun> {
  const begun = await beginningOf({ directory, workspace, session });
  writeFileSync(begunIn(directory), JSON.stringify(begun), { mode: 0o600 });
  return begun;
}

type Opened = { readonly runId: string; readonly directory: string; readonly session: Session; readonly begun: Begun };

function endings({ records, workspace }: ApartPlace, opened: Opened): Pick<Apart, "leave" | "handOver" | "drop"> {
  const { runId, directory, session, begun } = opened;
  const drop = async (): Promise<void> => {
    await session.close();
    removeBranch(directory);
  };
  return {
    leave: () => session.close(),
    drop,
    handOver: async (labels) => {
      try {
        await session.stopJobs();
        const { artifacts } = records.store.paths;
        const keep = (path: string, content: Uint8Array): void => keepHandedContent(artifacts, runId, path, content);
        keepHanded(artifacts, runId, { changes: await collectChanges({ directory, workspace, session }, begun, keep), labels });
        return null;
      } catch (error) {
        if (error instanceof AgentError) return `What it changed is lost: ${error.problem}`;
        throw error;
      } finally {
        await drop();
      }
    },
  };
}
