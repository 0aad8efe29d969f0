import { stringify } from "yaml";

/** A plain value on one line, as a policy file may write it. */
export function flowYaml(value: unknown): string {
  return stringify(value, {
    collectionStyle: "flow",
    lineWidth: 0,
    flowCollectionPadding: true,
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    blockQuote: false,
  }).trimEnd();
}
