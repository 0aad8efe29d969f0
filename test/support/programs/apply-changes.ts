// Applies the changes in the run directory given, as `warder changes apply` does when somebody names each of them, and says `open` before it begins: to be killed.
import { openChanges } from "../../../src/landing/review/review.ts";

// Who reads it may be killed, too.
process.stdout.on("error", () => undefined);

const review = await openChanges(process.argv[2] ?? "");
process.stdout.write("open\n");
await review?.apply({ mayWrite: () => null, paths: review.list().map(({ path }) => path) });
await review?.close();
