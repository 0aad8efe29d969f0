import { rmSync } from "node:fs";
import { readRecord, workspacePaths, writeRecord } from "../../src/sandbox/workspace/record.ts";
import { prepareWorkspace } from "../../src/sandbox/workspace/prepare.ts";
import { type ClosedReview, openChanges, type ReviewOptions } from "../../src/landing/review/review.ts";
import { makeFixture, profileOf } from "../contract/sandbox-fixture.ts";

/** A transactional workspace of a run, mounted as for a container, without one. Needs root. */
export type OverlaidWorkspace = {
  readonly workspace: string;
  /** Where the run sees it: what is changed here waits for a review. */
  readonly view: string;
  readonly runDirectory: string;
  /** Ends the run; its changes stay. */
  end(): Promise<void>;
  /** Ends the run and opens its changes. Throws when there are none. */
  review(options?: ReviewOptions): Promise<ClosedReview>;
  remove(): Promise<void>;
};

export async function overlayWorkspace(files: Readonly<Record<string, string>> = {}, prepareLower?: (workspace: string) => void): Promise<OverlaidWorkspace> {
  const fixture = makeFixture(files);
  prepareLower?.(fixture.workspace);
  const prepared = await prepareWorkspace(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory, isReachable: false });
  const paths = workspacePaths(fixture.runDirectory);
  let ending: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    await prepared.release();
    const record = readRecord(fixture.runDirectory);
    if (record !== null) writeRecord(fixture.runDirectory, { ...record, state: "closed" });
    rmSync(paths.owner, { force: true });
  };
  return {
    workspace: fixture.workspace,
    view: paths.merged,
    runDirectory: fixture.runDirectory,
    end: () => (ending ??= end()),
    review: async (options) => {
      await (ending ??= end());
      const review = await openChanges(fixture.runDirectory, options);
      if (review === null) throw new Error("There are no changes.");
      return review;
    },
    remove: async () => {
      await (ending ??= end());
      fixture.remove();
    },
  };
}
