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
    .description("the questions that wait for a person")
    .addHelpText("after", groupHelp("warder approvals", "list"));
  approvals
    .command("list", { isDefault: true })
    .description("the open questions")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder approvals list"))
    .action(async (options: Parameters<typeof list>[0]) => setExitCode(await (await import("../commands/approvals/questions.ts")).list(options)));
  approvals
    .command("show <id>")
    .description("the whole card of one question")
    .addHelpText("after", example("warder approvals show approval-…"))
    .action(async (id: string) => setExitCode((await import("../commands/approvals/questions.ts")).show(id)));
  approvals
    .command("grant <id>")
    .description("say yes after the card was shown; needs a terminal")
    .addHelpText("after", example("warder approvals grant approval-…"))
    .action(async (id: string) => setExitCode(await (await import("../commands/approvals/questions.ts")).grant(id)));
  approvals
    .command("refuse <id>")
    .description("say no")
    .option("--message <text>", "told to the model")
    .addHelpText("after", example("warder approvals refuse approval-… --message 'use the staging host'"))
    .action(async (id: string, options: Parameters<typeof refuse>[1]) => setExitCode((await import("../commands/approvals/questions.ts")).refuse(id, options)));
  approvals
    .command("grants")
    .description("what was granted for longer than one call: what it covers, since when, by whom")
    .option("--json", "one JSON object")
    .addHelpText("after", example("warder approvals grants"))
    .action(async (options: Parameters<typeof grants>[0]) => setExitCode((await import("../commands/approvals/grants.ts")).grants(options)));
  approvals
    .command("revoke <grant>")
    .description("take a lasting grant back, at once for every process")
    .addHelpText("after", example("warder approvals revoke grant-…"))
    .action(async (id: string) => setExitCode((await import("../commands/approvals/grants.ts")).revoke(id)));
  approvals
    .command("serve")
    .description("take answers over HTTP, with the tokens that webhooks carry; on loopback, for a TLS proxy or a tunnel")
    .option("--listen <address>", "127.0.0.1:PORT or [::1]:PORT; default as in settings.yaml")
    .addHelpText("after", example("warder approvals serve --listen 127.0.0.1:8717"))
    .action(async (options: ServeOptions) => setExitCode(await (await import("../commands/approvals/serve.ts")).serve(options)));
  approvals
    .command("enroll <name>")
    .description("let a person confirm with one-time codes (TOTP); needs a terminal")
    .addHelpText("after", example("warder approvals enroll ann"))
    .action(async (person: string) => setExitCode(await (await import("../commands/approvals/enrollment.ts")).enrollPerson(person)));
  approvals
    .command("unenroll <name>")
    .description("let a person's one-time codes count no more; needs a terminal and a code")
    .addHelpText("after", example("warder approvals unenroll ann"))
    .action(async (person: string) => setExitCode(await (await import("../commands/approvals/enrollment.ts")).unenrollPerson(person)));
}
