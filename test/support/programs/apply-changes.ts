// Applies the changes in the run directory given, as `warder changes apply` does, and says `open` before it begins: to be killed.
import { openChanges } from "../../../src/sandbox/workspace/review/review.ts";

const review = await openChanges(process.argv[2] ?? "");
process.stdout.write("open\n");
await review?.apply({ mayWrite: () => null });
await review?.close();
