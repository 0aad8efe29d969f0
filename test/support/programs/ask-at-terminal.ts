// Asks the question on the card CARD (JSON) at the controlling terminal and prints the answer as JSON to the file OUTPUT.
import { writeFileSync } from "node:fs";
import type { ApprovalCard } from "../../../src/approvals/card.ts";
import { terminalChannel } from "../../../src/approvals/terminal.ts";

const [card = "{}", output = "", delayMs = "0"] = process.argv.slice(2);
process.on("SIGINT", () => null);
// Time for a test to type before there is a question.
await new Promise((resolve) => setTimeout(resolve, Number(delayMs)));
const answer = await terminalChannel().ask(JSON.parse(card) as ApprovalCard, new AbortController().signal);
writeFileSync(output, JSON.stringify(answer));
