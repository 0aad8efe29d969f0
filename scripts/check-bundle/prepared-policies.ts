import { readFileSync } from "node:fs";
import { join } from "node:path";
import { shippedNames, SHIPPED_POLICIES } from "../../src/config/shipped-policies.ts";
import { readPolicyDocument } from "../../src/policy/language/document.ts";
import { prepareReading } from "../../src/policy/language/prepared-reading.ts";

/**
 * The text of a module that stands in for `src/policy/language/document.ts`: a shipped policy is not read again as long as its file holds, to the last
 * character, the text that was read when the bundle was made. Any other text goes to the reader itself.
 */
export function preparedDocumentModule(root: string): string {
  const readings = shippedNames().map((name) => {
    const text = readFileSync(join(SHIPPED_POLICIES, `${name}.yaml`), "utf8");
    const reading = readPolicyDocument(name, text);
    if ("diagnostics" in reading) throw new Error(`the shipped policy ${name} cannot be read: ${reading.diagnostics[0]?.message ?? ""}`);
    return [text, JSON.stringify(prepareReading(reading))];
  });
  return `
import { reviveReading } from ${JSON.stringify(join(root, "src/policy/language/prepared-reading.ts"))};
const READINGS = new Map(${JSON.stringify(readings)});
export function readPolicyDocument(file, source) {
  const prepared = READINGS.get(source);
  return prepared === undefined ? require("./rare.cjs").readPolicyDocument(file, source) : reviveReading(JSON.parse(prepared), file);
}
`;
}
