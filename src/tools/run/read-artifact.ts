import { TOOL_NAMES } from "../../policy/tool-names.ts";
import { defineTool } from "../contract/define.ts";
import { readArtifactSchema } from "../contract/input-schemas.ts";
import { trustedError, untrustedText } from "../contract/result.ts";

/** Characters of one page. */
const PAGE = 30_000;

/** Pages through a result of this run that was too long to be shown whole. */
export const readArtifactTool = defineTool({
  name: "read_artifact",
  aliases: TOOL_NAMES.read_artifact,
  description: "Reads a part of an earlier result of this run that was cut. The cut names the artifact.",
  schema: readArtifactSchema,
  traits: { exclusiveSandbox: false, parallelSafe: true, tier: "read-only", history: { summaryArgument: "artifact" } },
  async execute(input, { handles }) {
    const page = await handles.artifacts.read(input.artifact, input.from ?? 0, PAGE);
    if (page === null) return trustedError("There is no such artifact in this run. A result that was cut names its own.");
    const { text, from, next, total } = page;
    const more = next < total ? `\n[${total - next} more bytes; continue with from ${next}]` : "";
    return untrustedText(`${input.artifact}: bytes ${from} to ${next} of ${total}\n${text}${more}`, { from, next, total });
  },
});
