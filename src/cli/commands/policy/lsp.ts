import { homeDirectory } from "../../../config/state/directory.ts";
import { shippedNames } from "../../../config/shipped-policies.ts";
import { policyJsonSchema } from "../../../policy/language/schema.ts";
import { serveLanguage } from "../../../serve/lsp/server.ts";
import { createRegistry } from "../../../tools/registry.ts";
import { EXIT } from "../../process/exit-code.ts";

export type LspOptions = { workspace?: string };

/** `warder policy lsp`: serves an editor over standard input and output. Everything else is said on standard error. */
export async function lspCommand({ workspace }: LspOptions, version: string): Promise<number> {
  const say = (text: string): void => void process.stderr.write(`warder: ${text}\n`);
  if (process.stdin.isTTY) say("an editor is expected at standard input. Put this command into your editor's settings.");
  const isOrderly = await serveLanguage({
    input: process.stdin,
    output: process.stdout,
    version,
    schema: policyJsonSchema(),
    names: { policies: shippedNames(), tools: createRegistry().names },
    home: homeDirectory(),
    say,
    ...(workspace === undefined ? {} : { workspace }),
  });
  process.stdin.destroy();
  return isOrderly ? EXIT.done : EXIT.failed;
}
