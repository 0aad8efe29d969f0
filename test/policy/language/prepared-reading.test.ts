import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { shippedNames, SHIPPED_POLICIES } from "../../../src/config/shipped-policies.ts";
import { readPolicyDocument, type ReadPolicy } from "../../../src/policy/language/document.ts";
import { prepareReading, reviveReading } from "../../../src/policy/language/prepared-reading.ts";

const OWN = `# a comment
version: 1
name: own
workspace:
  forbidden:
    - "a b"
    - c/**
  protected: ["d", 'e']
commands:
  effects: { reads: allow, "writes": ask }
  rules:
    - id: one
      deny: rm **
      because: >
        folded
        text
      match: ["rm -rf x"]
`;

type Path = readonly PropertyKey[];

/** Every path of a value, and of each a step further to what is not there. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const below = inner.flatMap(([key, child]) => pathsOf(child, [...path, Array.isArray(value) ? Number(key) : key]));
  return [path, [...path, "absent"], [...path, 99, "deeper"], [...path, "__proto__"], ...below];
}

const texts = shippedNames().map((name): [string, string] => [name, readFileSync(join(SHIPPED_POLICIES, `${name}.yaml`), "utf8")]);

test.each([...texts, ["own", OWN] as [string, string]])("a reading of %s that was kept as plain data says the same", (name, text) => {
  const reading = readPolicyDocument(`${name}.yaml`, text) as ReadPolicy;
  const revived = reviveReading(JSON.parse(JSON.stringify(prepareReading(reading))) as ReturnType<typeof prepareReading>, `${name}.yaml`);
  expect(revived.document).toEqual(reading.document);
  const paths = pathsOf(reading.text.value);
  expect(paths.length).toBeGreaterThan(20);
  for (const path of paths) {
    expect(revived.text.at(path), JSON.stringify(path)).toEqual(reading.text.at(path));
    expect(revived.text.has(path), JSON.stringify(path)).toBe(reading.text.has(path));
    for (const key of ["name", "effects", "reads", "writes", "id", "absent", "__proto__"])
      expect(revived.text.atKey(path, key), JSON.stringify([path, key])).toEqual(reading.text.atKey(path, key));
  }
});
