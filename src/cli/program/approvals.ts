import type { Command } from "commander";
import type { grants } from "../commands/approvals/grants.ts";
import type { list, refuse } from "../commands/approvals/questions.ts";
import type { ServeOptions } from "../commands/approvals/serve.ts";
import { example, groupHelp } from "./help.ts";

type SetExitCode = (code: number) => void;

/** The commands about questions that wait for a person. */
export function addApprovals(program: Command, setExitCode: SetExitCode): void {
  const approvals = program
    .command("approvals")
    .description("list and answer the questions that wait for a person")
    .addHelpText("after", groupHelp("warder approvals", "list"));
  approvals
    .command("list", { isDefault: true })
    .description("list the open questions")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder approvals list"))
    .action(async (options: Parameters<typeof list>[0]) => setExitCode(await (await import("../commands/approvals/questions.ts")).list(options)));
  approvals
    .command("show <id>")
    .description("show one question with all its details")
    .addHelpText("after", example("warder approvals show approval-…"))
    .action(async (id: string) => setExitCode((await import("../commands/approvals/questions.ts")).show(id)));
  approvals
    .command("grant <id>")
    .description("show a question and answer it: approve a call, or answer in words what a run asks; needs a terminal")
    .addHelpText("after", example("warder approvals grant approval-…"))
    .action(async (id: string) => setExitCode(await (await import("../commands/approvals/questions.ts")).grant(id)));
  approvals
    .command("refuse <id>")
    .description("refuse a question")
    .option("--message <text>", "a message to the model")
    .addHelpText("after", example("warder approvals refuse approval-… --message 'use the staging host'"))
    .action(async (id: string, options: Parameters<typeof refuse>[1]) => setExitCode((await import("../commands/approvals/questions.ts")).refuse(id, options)));
  approvals
    .command("grants")
    .description("list the grants that last longer than one call: what they cover, since when, by whom")
    .option("--json", "print one JSON object")
    .addHelpText("after", example("warder approvals grants"))
    .action(async (options: Parameters<typeof grants>[0]) => setExitCode((await import("../commands/approvals/grants.ts")).grants(options)));
  approvals
    .command("revoke <grant>")
    .description("revoke a lasting grant, at once and for every process")
    .addHelpText("after", example("warder approvals revoke grant-…"))
    .action(async (id: string) => setExitCode((await import("../commands/approvals/grants.ts")).revoke(id)));
  approvals
    .command("serve")
    .description("accept answers over HTTP, with the tokens from webhooks; listens on loopback, behind your TLS proxy or tunnel")
    .option("--listen <address>", "127.0.0.1:PORT or [::1]:PORT (default: from settings.yaml)")
    .addHelpText("after", example("warder approvals serve --listen 127.0.0.1:8717"))
    .action(async (options: ServeOptions) => setExitCode(await (await import("../commands/approvals/serve.ts")).serve(options)));
  approvals
    .command("enroll <name>")
    .description("enroll a person for one-time codes (TOTP); needs a terminal")
    .addHelpText("after", example("warder approvals enroll ann"))
    .action(async (person: string) => setExitCode(await (await import("../commands/approvals/enrollment.ts")).enrollPerson(person)));
  approvals
    .command("unenroll <name>")
    .description("remove a person's one-time codes; needs a terminal and a code")
    .addHelpText("after", example("warder approvals unenroll ann"))
    .action(async (person: string) => setExitCode(await (await import("../commands/approvals/enrollment.ts")).unenrollPerson(person)));
}
