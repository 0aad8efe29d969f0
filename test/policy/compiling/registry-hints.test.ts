import { expect, test } from "vitest";
import { compileTexts } from "../bench.ts";

const warningsOf = (network: string): readonly string[] => {
  const result = compileTexts([`version: 1\nname: a\nsandbox: { network: ${network} }\n`]);
  if (result.kind !== "compiled") throw new Error(JSON.stringify(result.diagnostics));
  return result.warnings.map(({ severity, message, remedy }) => `${severity}: ${message} ${remedy}`);
};

test.each([
  ["npm.example.org", "npm"],
  ["registry.npmjs.example.org", "npm"],
  ["files.pythonhosted.example.org", "pypi"],
  ["debian.example.org", "debian"],
  ["static.crates.example.org", "crates"],
  ["goproxy.example.org:443", "go"],
  ["{ host: repo.maven.example.org, methods: [GET] }", "maven"],
])("a policy that opens %s as a host is told of the registry", (entry, registry) => {
  expect(warningsOf(`{ allow: [${entry.startsWith("{") ? entry : `"${entry}"`}] }`)).toEqual([
    expect.stringMatching(new RegExp(`^warning: .*not sealed.*registries: \\[${registry}\\]`, "u")),
  ]);
});

test("another host, and a registry itself, is no matter for a hint", () => {
  expect(warningsOf("{ allow: [packages.example.org, npmish.example.org, constructor.example.org, '*'] }")).toEqual([]);
  expect(warningsOf("{ registries: [npm] }")).toEqual([]);
});
