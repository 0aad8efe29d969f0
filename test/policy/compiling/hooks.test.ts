import { describe, expect, test } from "vitest";
import { addHooks } from "../../../src/policy/compiling/add-hooks.ts";
import type { CommandHook } from "../../../src/policy/hook.ts";
import { compileTexts, CONTEXT, policyOf, policyText } from "../bench.ts";

const hooked = (change = "", ...lines: readonly string[]): string =>
  policyText(...lines, `hooks: [{ id: a, on: [before-tool], script: "exit 2", because: why${change} }]`);
const own = (change: Partial<CommandHook> = {}): CommandHook => ({
  id: "own",
  on: ["stop"],
  tools: null,
  argv: ["true"],
  timeoutMs: 1000,
  cacheMs: 0,
  mayRewrite: false,
  because: "why",
  at: { file: "settings.yaml", line: 1, column: 1 },
  ...change,
});

describe("the digest of a policy", () => {
  test("covers every word of its hooks, and not where they stand", () => {
    const digests = ["", ", timeout: 5s", ", cache: 1m", ", rewrite: true", ", tools: [bash]"].map((change) => policyOf(hooked(change)).digest);
    expect(new Set([...digests, policyOf(policyText()).digest]).size).toBe(6);
    expect(policyOf(policyText("# a line", ...hooked().split("\n").slice(2))).digest).toBe(digests[0]);
    expect(policyOf(policyText("hooks: []")).digest).toBe(policyOf(policyText()).digest);
  });

  test("covers those of the user's settings", () => {
    const policy = policyOf(hooked());
    const digests = [own(), own({ argv: ["false"] }), own({ on: ["park"] })].map((hook) => {
      const added = addHooks(policy, [hook], {});
      return "policy" in added ? added.policy.digest : "";
    });
    expect(new Set([...digests, policy.digest, ""]).size).toBe(5);
    expect(addHooks(policy, [], {})).toEqual({ policy });
  });
});

describe("hooks of the user's settings", () => {
  test("come behind those of the policy", () => {
    const added = addHooks(policyOf(hooked()), [own()], {});
    expect("policy" in added ? added.policy.hooks?.map(({ id }) => id) : added).toEqual(["a", "own"]);
  });

  test.each([
    ["has the name of one of the policy", own({ id: "a" }), "is taken"],
    ["names a file that a run could change", own({ argv: ["sh", `${CONTEXT.workspace}/x`] }), "a run could change"],
  ])("one that %s is refused", (_what, hook, says) => {
    const added = addHooks(policyOf(hooked("", "workspace: { roots: [{ path: ., access: read-write }] }")), [hook], {});
    expect("problems" in added ? added.problems.map(({ message }) => message) : added).toEqual([expect.stringContaining(says)]);
  });
});

describe("a word of a hook", () => {
  const roots = "workspace: { roots: [{ path: ., access: read-write }, { path: /opt/hooks, access: read }] }";
  const kindOf = (words: string, realPath?: (path: string) => string): string =>
    compileTexts([policyText(roots, `hooks: [{ id: a, on: [stop], command: [${words}], because: why }]`)], { ...CONTEXT, ...(realPath && { realPath }) }).kind;

  test.each([
    ["a program of the image", "jq", "compiled"],
    ["an absolute one", "/usr/bin/jq", "compiled"],
    ["a file in a root for reading", "sh, /opt/hooks/check.sh", "compiled"],
    ["an expression with slashes", 'grep, -q, "a/b/c"', "compiled"],
    ["a file of the workspace", `sh, ${CONTEXT.workspace}/check.sh`, "refused"],
    ["one by a way around", `sh, /opt/hooks/../..${CONTEXT.workspace}/check.sh`, "refused"],
    ["a program of the working directory", "./check.sh", "refused"],
  ])("may be %s or not: %s is %s", (_what, words, kind) => {
    expect(kindOf(words)).toBe(kind);
  });

  test("is looked at behind its links, and with them", () => {
    const links = (path: string): string =>
      path === "/opt/hooks/link" ? `${CONTEXT.workspace}/check.sh` : path === `${CONTEXT.workspace}/link` ? "/usr/bin/jq" : path;
    expect(kindOf("sh, /opt/hooks/link", links)).toBe("refused");
    expect(kindOf(`sh, ${CONTEXT.workspace}/link`, links)).toBe("refused");
    expect(kindOf("sh, /opt/hooks/file", links)).toBe("compiled");
  });
});
