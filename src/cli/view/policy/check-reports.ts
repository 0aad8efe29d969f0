import { sha256 } from "../../../base/digest.ts";
import { makeVisibleLine } from "../../../base/text.ts";
import type { PolicyDiagnostic } from "../../../policy/text/diagnostic.ts";
import { LINTS } from "../../../policy/text/lints.ts";
import { sarifLocations, sarifReport } from "./sarif.ts";

const INVALID = "invalid";

/** What one diagnostic says, in a line. */
function textOf({ message, why, remedy }: PolicyDiagnostic): string {
  return [message, why, remedy].filter((each) => each !== "").join(" ");
}

/** What `warder policy check` found, in SARIF. */
export function checkSarif(diagnostics: readonly PolicyDiagnostic[]): unknown {
  const rules = [{ id: INVALID, text: "The policy does not load." }, ...Object.entries(LINTS).map(([id, text]) => ({ id, text }))];
  const results = diagnostics.map((diagnostic) => ({
    ruleId: diagnostic.code ?? INVALID,
    level: diagnostic.severity,
    message: { text: textOf(diagnostic) },
    ...sarifLocations(diagnostic.at),
    // The same on another line is the same one.
    partialFingerprints: { "diagnostic/v1": sha256(JSON.stringify([diagnostic.code ?? INVALID, diagnostic.at.file, diagnostic.message])) },
  }));
  return sarifReport("warder policy check", rules, results);
}

/** The same as annotations of a workflow at GitHub: a line each on standard output. */
export function checkAnnotations(diagnostics: readonly PolicyDiagnostic[]): string {
  return diagnostics
    .map((diagnostic) => {
      const { file, line, column } = diagnostic.at;
      const title = property(`warder policy: ${diagnostic.code ?? INVALID}`);
      return `::${diagnostic.severity} file=${property(file)},line=${String(line)},col=${String(column)},title=${title}::${data(textOf(diagnostic))}\n`;
    })
    .join("");
}

/** As GitHub's own toolkit escapes it: nothing in a text ends the command or begins another one. */
function data(text: string): string {
  return makeVisibleLine(text).replaceAll("%", "%25");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
