import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AgentError } from "../../base/errors.ts";
import { makeVisibleLine } from "../../base/text.ts";
import { type ApplyRecord, openApplyProgram } from "../../sandbox/workspace/changes/apply-program.ts";
import { writeWhole } from "../../sandbox/workspace/files/whole-file.ts";
import { type Manifest, writeManifest } from "../../sandbox/workspace/scan/manifest.ts";
import { type Beginnings, writeBeginnings } from "../../sandbox/workspace/repository/beginnings.ts";

// A rebase is prepared in a directory that nobody looks into. With its new name it counts, and whoever opens the run's changes next ends it: each of its
// steps may be done again. Before that the run is as it was.

const RECORDS = "records.json";
const MANIFEST = "manifest.json";
const BEGINNINGS = "repositories.json";

/** `rebase`: the directory that counts. */
type Paths = { readonly rebase: string; readonly upper: string; readonly manifest: string; readonly beginnings: string };

/** Where files that go into the layer are put. Whatever an interrupted rebase left there goes. */
export function newStaging({ rebase }: Pick<Paths, "rebase">): string {
  rmSync(`${rebase}.new`, { recursive: true, force: true });
  const files = join(`${rebase}.new`, "files");
  mkdirSync(files, { recursive: true, mode: 0o700 });
  return files;
}

/** From here on the run is rebased, whatever ends this process. */
export function settleRebase(
  { rebase }: Pick<Paths, "rebase">,
  of: { readonly records: readonly ApplyRecord[]; readonly manifest: Manifest; readonly beginnings: Beginnings },
): void {
  writeWhole(join(`${rebase}.new`, RECORDS), JSON.stringify(of.records));
  writeManifest(join(`${rebase}.new`, MANIFEST), of.manifest);
  writeBeginnings(join(`${rebase}.new`, BEGINNINGS), of.beginnings);
  renameSync(`${rebase}.new`, rebase);
}

/** Ends a rebase that counts; nothing where there is none. The run's layer is mounted, and nobody else works with it. */
export async function finishRebase(paths: Paths): Promise<void> {
  const { rebase, upper, manifest, beginnings } = paths;
  // One that never counted, or has ended.
  rmSync(`${rebase}.new`, { recursive: true, force: true });
  if (!existsSync(rebase)) return;
  const program = openApplyProgram(upper, join(rebase, "files"), "restore");
  try {
    for (const record of JSON.parse(readFileSync(join(rebase, RECORDS), "utf8")) as readonly ApplyRecord[]) {
      const reason = await program.perform(record);
      if (reason !== null)
        throw new AgentError("broken-invariant", `The rebase of this run stopped at ${makeVisibleLine(record[1] ?? "")}: ${reason}`, {
          remedy: "Make room if the disk is full, and try again; what the run did is all there.",
        });
    }
  } finally {
    await program.end();
  }
  for (const [from, to] of [
    [MANIFEST, manifest],
    [BEGINNINGS, beginnings],
  ] as const)
    writeWhole(to, readFileSync(join(rebase, from), "utf8"));
  // Half of it removed would be another rebase.
  renameSync(rebase, `${rebase}.new`);
  rmSync(`${rebase}.new`, { recursive: true, force: true });
}
