import { expect, test } from "vitest";
import { decideCommand, deciding, policyOf, policyText } from "../bench.ts";

test("the file of a secret is forbidden, also below a root, and its name is no pattern", () => {
  const policy = policyOf(
    policyText(
      "autonomy: supervised",
      "workspace: { roots: [{ path: '.', access: read-write }, { path: '~', access: read }] }",
      "sandbox:",
      "  network:",
      "    allow: [a.example.org]",
      "    credentials:",
      "      - { id: one, secret: { file: '~/to[k]en' }, host: a.example.org, methods: [GET], paths: ['/**'], header: { x-key: '{secret}' } }",
    ),
  );
  expect(deciding(decideCommand(policy, "cat '/home/dev/to[k]en'"))).toBe("forbidden-path");
  expect(deciding(decideCommand(policy, "cat /home/dev/token"))).not.toBe("forbidden-path");
});
