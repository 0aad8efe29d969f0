import type { Session } from "../../src/sandbox/runtime.ts";
import type { ApplyReport, MayWrite } from "../../src/landing/files/report.ts";
import { openChanges } from "../../src/landing/review/review.ts";

type Ended = { readonly session: Session; readonly runDirectory: string };

/** Ends a session and lands what it left, as far as may be written. */
export async function landChanges({ session, runDirectory }: Ended, mayWrite: MayWrite = () => null): Promise<ApplyReport> {
  await session.close();
  const review = await openChanges(runDirectory);
  if (review === null) throw new Error("There are no changes.");
  try {
    return await review.apply({ mayWrite });
  } finally {
    await review.close();
  }
}

/** Ends a session and throws away what it left. */
export async function discardChanges({ session, runDirectory }: Ended): Promise<void> {
  await session.close();
  const review = await openChanges(runDirectory);
  await review?.discard();
}
