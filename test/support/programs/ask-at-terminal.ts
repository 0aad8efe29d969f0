// Asks the question on the card CARD (JSON) at the controlling terminal and prints the answer as JSON to the file OUTPUT.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ApprovalCard } from "../../../src/approvals/card.ts";
import { terminalChannel } from "../../../src/approvals/terminal/channel.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { openStore } from "../../../src/store/store.ts";

const [card = "{}", output = "", delayMs = "0"] = process.argv.slice(2);
const approvals = { store: openStore(process.env["WARDER_HOME"] ?? join(dirname(output), "state")), clock: systemClock };
process.on("SIGINT", () => null);
// Time for a test to type before there is a question.
await new Promise((resolve) => setTimeout(resolve, Number(delayMs)));
const answer = await terminalChannel(approvals).ask(JSON.parse(card) as ApprovalCard, new AbortController().signal);
writeFileSync(output, JSON.stringify(answer));
