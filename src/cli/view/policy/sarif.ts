import type { SourcePosition } from "../../../policy/decision.ts";

export type SarifRule = { readonly id: string; readonly text: string };

/** A report in SARIF 2.1.0, for code scanning. */
export function sarifReport(name: string, rules: readonly SarifRule[], results: readonly unknown[], properties?: Readonly<Record<string, unknown>>): unknown {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name, rules: rules.map(({ id, text }) => ({ id, shortDescription: { text } })) } },
        ...(properties === undefined ? {} : { properties }),
        results,
      },
    ],
  };
}

/** Where a result stands; nothing for what stands nowhere. */
export function sarifLocations(at: SourcePosition | undefined): { readonly locations?: readonly unknown[] } {
  if (at === undefined) return {};
  const region = { startLine: at.line, startColumn: at.column };
  return { locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(at.file) }, region } }] };
}
