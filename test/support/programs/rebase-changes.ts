// Rebases the changes in the run directory given, as `warder changes rebase` does, and says `open` before it begins: to be killed.
import { openChanges } from "../../../src/sandbox/workspace/review/review.ts";

const review = await openChanges(process.argv[2] ?? "");
process.stdout.write("open\n");
await review?.rebase();
process.stdout.write("rebased\n");
await review?.close();
