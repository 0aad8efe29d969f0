import { z } from "zod";
import { SEARCH_KINDS } from "../tools/contract/tool.ts";
import { readUrl } from "../tools/contract/web-command.ts";

const problem = (message: string) => ({ error: message });

/** Names of parameters that hold keys. What stands in the address is shown to the model and the log. */
const SECRET = /^(?:key|auth|sig(?:nature)?)$|token|secret|api[-_]?key|password/iu;

/** The key `search` of the settings. */
export const searchSettingsSchema = z.strictObject({
  kind: z.enum(SEARCH_KINDS),
  url: z
    .string()
    .max(2000)
    .refine(
      (text) => "url" in readUrl(text),
      problem("The address of a search is an http or https URL without a user name, such as https://search.example.org/search."),
    )
    .refine(
      (text) => ![...(URL.parse(text)?.searchParams.keys() ?? [])].some((name) => SECRET.test(name)),
      problem("A key in the address would be shown to the model. List it in the policy under `sandbox.network.credentials`; the egress proxy adds it."),
    ),
});
