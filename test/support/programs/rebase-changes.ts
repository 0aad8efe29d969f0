// Rebases the changes in the run directory given, as `warder changes rebase` does: to be killed.
import { openChanges } from "../../../src/landing/review/review.ts";

const review = await openChanges(process.argv[2] ?? "");
await review?.rebase();
await review?.close();
