import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import type { Verdict } from "../../test/escape/judge.ts";
import type { CopiedTree } from "../controls/copied-tree.ts";

const patch = z.strictObject({ file: z.string().optional(), search: z.string(), replace: z.string() });

const schema = z.array(
  z.strictObject({
    id: z.string(),
    runtime: z.enum(["docker", "bubblewrap"]).default("docker"),
    file: z.string(),
    search: z.string(),
    replace: z.string(),
    /** Further patches, in the same file unless they name another. */
    also: z.array(patch).default([]),
    /** Attacks of which one must notice. */
    attacks: z.array(z.string()),
    /** Why none notices, here or anywhere. */
    depth: z.string().optional(),
    /** Why no sandbox starts without the line. */
    refuses: z.string().optional(),
  }),
);

/** One line of the sandbox, taken away: an entry of test/escape/mutations.yaml. */
export type Mutation = z.infer<typeof schema>[number];

export type MutationEnd = { readonly isNoticed: boolean; readonly isAsExpected: boolean; readonly detail: string };

export function loadMutations(): readonly Mutation[] {
  return schema.parse(parse(readFileSync(new URL("../../test/escape/mutations.yaml", import.meta.url), "utf8")));
}

/** Applies a mutation in a copy of the tree, performs its attacks (or those of its neighbours), and takes it back. */
export async function tryMutation(tree: CopiedTree, mutation: Mutation, neighbours: readonly string[]): Promise<MutationEnd> {
  const { id, file, search, replace, also } = mutation;
  const patches = [{ file, search, replace }, ...also.map((one) => ({ ...one, file: one.file ?? file }))];
  const attacks = mutation.attacks.length === 0 ? neighbours : mutation.attacks;
  const run = await tree.withPatches(id, patches, (root) => perform(root, mutation.runtime, attacks));
  if (run === null) {
    const isAsExpected = mutation.refuses !== undefined;
    return { isNoticed: true, isAsExpected, detail: `no sandbox starts${isAsExpected ? `: ${mutation.refuses ?? ""}` : ", which nobody expected"}` };
  }
  const noticed = run.verdicts.filter(({ result }) => result === "escaped").map((verdict) => verdict.id);
  if (run.left.length > 0) noticed.push("something was left behind");
  if (noticed.length > 0) return { isNoticed: true, isAsExpected: true, detail: noticed.join(", ") };
  const broken = run.verdicts.find(({ result }) => result === "broken");
  if (broken !== undefined) return { isNoticed: false, isAsExpected: false, detail: `${broken.id} is broken: ${broken.detail}` };
  return { isNoticed: false, isAsExpected: mutation.depth !== undefined, detail: mutation.depth ?? "nothing noticed" };
}

type Run = { readonly verdicts: readonly Verdict[]; readonly left: readonly string[] };

/** Longer than an attack waits for what should be gone (test/escape/arena.ts). */
const TIMEOUT_MS = 300_000;

/** Null when no session could be opened. */
function perform(root: string, runtime: string, attacks: readonly string[]): Run | null {
  const argv = ["toolbox/escape/main.ts", "--json", "--runtime", runtime, ...attacks.flatMap((id) => ["--only", id])];
  try {
    return JSON.parse(execFileSync(process.execPath, argv, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: TIMEOUT_MS })) as Run;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    if (stdout.startsWith("{")) return JSON.parse(stdout) as Run;
    // A refusal of the engine, of bubblewrap or of the supervisor; anything else is a fault of the mutation.
    if (/AgentError|sandbox-unavailable/u.test(stderr)) return null;
    throw error;
  }
}
