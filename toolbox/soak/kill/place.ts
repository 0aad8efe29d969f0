import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where a soak works: everything below one folder. */
export type Place = {
  readonly root: string;
  readonly home: string;
  readonly state: string;
  readonly workspace: string;
  readonly empty: string;
  readonly policy: string;
};

/** How many commands a run has. Each makes a file and adds a line to another; the one in the middle removes a file. */
export const STEPS = 10;

const POLICY = `version: 1
name: soak
extends: base
autonomy: full
workspace: { roots: [{ path: ".", access: read-write }] }
sandbox: { runtime: docker, workspace: transactional, command-timeout: 30s, memory: 256m, processes: 64 }
`;

export function makePlace(): Place {
  const root = mkdtempSync(join(tmpdir(), "warder-kill-"));
  const place = {
    root,
    home: join(root, "home"),
    state: join(root, "state"),
    workspace: join(root, "workspace"),
    empty: join(root, "empty"),
    policy: join(root, "policy.yaml"),
  };
  for (const path of [place.home, place.workspace, place.empty, join(place.workspace, "made"), join(place.workspace, "old")]) mkdirSync(path);
  writeFileSync(place.policy, POLICY);
  writeFileSync(join(place.workspace, "log"), "");
  return place;
}

/** Writes what a run of this round is told to do, and the file that it removes. Returns the name for `--model`. */
export function writeScript(place: Place, round: number): string {
  writeFileSync(join(place.workspace, "old", String(round)), "to be removed\n");
  const calls = Array.from({ length: STEPS }, (_, step) => {
    const name = `${String(round)}-${String(step)}`;
    const made = `echo ${name} > made/${name} && echo ${name} >> log`;
    return `  - calls: [{ tool: shell, input: { command: ${JSON.stringify(step === STEPS / 2 ? `rm old/${String(round)}` : made)} } }]\n`;
  });
  const path = join(place.root, "script.yaml");
  writeFileSync(path, `protocol: openai\nturns:\n${calls.join("")}  - say: "Done."\n`);
  return `scripted:${path}`;
}
