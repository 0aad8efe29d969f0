// Claims approval ID below STATE when a line arrives, and prints whether it won.
import { claimApproval } from "../../../src/approvals/approval.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";

const [state = "", id = "", run = "", rulingDigest = "", policyDigest = ""] = process.argv.slice(2);
const approvals = { store: openStore(state), clock: systemClock };
process.stdout.write("ready\n");
process.stdin.once("data", () => {
  process.stdout.write(`${claimApproval(approvals, id, { run, rulingDigest, policyDigest })}\n`);
  process.stdin.destroy();
});
