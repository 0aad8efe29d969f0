import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { compileTexts } from "../bench.ts";

const vectors = z
  .array(
    z.strictObject({
      clause: z.string(),
      name: z.string(),
      policy: z.array(z.string()),
      parent: z.array(z.string()).optional(),
      error: z.strictObject({ line: z.int(), column: z.int(), says: z.string() }),
    }),
  )
  .min(40)
  .parse(JSON.parse(readFileSync(new URL("../../vectors/policy/load.json", import.meta.url), "utf8")));

const language = readFileSync(new URL("../../../docs/policy-language.md", import.meta.url), "utf8");

test.each(vectors)("$clause: $name", ({ clause, policy, parent, error }) => {
  expect(language).toContain(`**${clause}**`);
  const result = compileTexts([policy, ...(parent === undefined ? [] : [parent])].map((lines) => `${lines.join("\n")}\n`));
  if (result.kind === "compiled") throw new Error("The policy was loaded.");
  expect(result.diagnostics.map(({ at, message }) => `${at.line}:${at.column} ${message}`)).toEqual([expect.stringContaining(error.says)]);
  const [first] = result.diagnostics;
  expect(first?.at).toMatchObject({ file: "policy.yaml", line: error.line, column: error.column });
  expect(first?.severity).toBe("error");
});
