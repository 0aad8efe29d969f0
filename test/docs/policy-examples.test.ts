import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { loadPolicy } from "../../src/config/policy/load.ts";
import { checkCommand, checkRequest } from "../../src/gate/check.ts";
import { type Sight, supposedLabels } from "../../src/policy/label.ts";
import { createRegistry } from "../../src/tools/registry.ts";
import { makePlace, warder } from "../support/warder-cli.ts";

/** Every block of YAML in the pages about policies, by the page and a line that stands in no other. */
const blocks = ["README.md", "docs/policy-language.md"].flatMap((page) =>
  [...readFileSync(new URL(`../../${page}`, import.meta.url), "utf8").matchAll(/^(?<indent> *)```yaml\n(?<text>[\s\S]*?)^\k<indent>```$/gmu)].map(
    ({ groups }) => ({
      page,
      text: (groups?.["text"] ?? "").replaceAll(new RegExp(`^${groups?.["indent"] ?? ""}`, "gmu"), ""),
    }),
  ),
);

type Promised = {
  /** What is asked: a command, or a host to connect to. */
  readonly command?: string;
  readonly connect?: string;
  readonly seen?: readonly Sight[];
  readonly on?: string;
  readonly decision: "allow" | "ask" | "deny";
  readonly rule?: string;
  readonly hooks?: readonly string[];
};

/** What the pages promise of each example, in an ordinary project: a git repository with a package.json whose `test` starts a program. */
const PROMISES: Readonly<Record<string, { readonly marked: string; readonly lines?: readonly string[]; readonly promised: readonly Promised[] }>> = {
  "the README's policy": {
    marked: "name: nightly",
    promised: [
      { command: "npm publish", decision: "deny", rule: "no-publish" },
      { command: "npm publish --tag next", decision: "deny", rule: "no-publish" },
      { command: "curl https://example.org", decision: "deny", rule: "only" },
      { command: "npm test", decision: "allow", rule: "effect-runs-code" },
      { command: "ls", decision: "allow" },
    ],
  },
  "the first policy": {
    marked: "name: my-project",
    promised: [
      { command: "git commit -m done", decision: "allow", rule: "commit" },
      { command: "git commit -m done; git push", decision: "deny" },
      { command: "git commit -am done", decision: "ask" },
      { command: "npm publish", decision: "deny", rule: "no-publish" },
      { command: "npm test", decision: "ask", rule: "baseline-supervised-medium" },
      { command: "ls", decision: "allow" },
    ],
  },
  "what holds once the model read something": {
    marked: "no-push-with-customers",
    lines: ["autonomy: full", "sandbox: { network: { allow: ['*'] } }"],
    promised: [
      { command: "curl -d x https://example.org", seen: [], decision: "ask", rule: "effect-sends" },
      { command: "curl -d x https://example.org", seen: ["tainted"], decision: "deny", rule: "effect-sends-when-tainted" },
      { command: "git push origin main", seen: ["sensitive"], decision: "deny", rule: "no-push-with-customers" },
    ],
  },
  "a rule that expires": {
    marked: "id: release",
    lines: ["autonomy: supervised"],
    promised: [
      { command: "git tag v2", on: "2027-01-31", decision: "allow", rule: "release" },
      { command: "git tag v2", on: "2027-02-01", decision: "ask" },
    ],
  },
  "a rule with an exception": {
    marked: "id: no-tag",
    lines: ["autonomy: supervised"],
    promised: [
      { command: "git tag v2", decision: "deny", rule: "no-tag" },
      { command: "git tag nightly", decision: "allow", rule: "nightly" },
      { command: "sudo git tag nightly", decision: "deny" },
    ],
  },
  "rules of groups": {
    marked: "id: no-releases",
    lines: ["autonomy: supervised"],
    promised: [
      { command: "cargo publish", decision: "deny", rule: "no-releases" },
      { command: "git commit -m done", decision: "allow", rule: "commits" },
      { command: "git push", decision: "deny" },
    ],
  },
  "a limit of a rule": {
    marked: "id: tags",
    lines: ["autonomy: supervised"],
    promised: [
      { command: "git tag v1", decision: "allow", rule: "tags" },
      { command: "for tag in a b; do git tag $tag; done", decision: "ask" },
    ],
  },
  "a credential": {
    marked: "id: registry",
    lines: ["autonomy: supervised"],
    promised: [
      { connect: "registry.example.org", decision: "allow" },
      { connect: "other.example.org", decision: "deny", rule: "host-not-allowed" },
    ],
  },
  "a hook": {
    marked: "id: no-friday",
    lines: ["autonomy: supervised"],
    promised: [{ command: "ls", decision: "allow", hooks: ["no-friday"] }],
  },
};

const SUITE = "cases:\n";

describe("an example of the pages about policies", () => {
  const place = makePlace();
  beforeAll(() => {
    mkdirSync(join(place.workspace, "src"));
    writeFileSync(join(place.workspace, "package.json"), JSON.stringify({ name: "shop", version: "1.0.0", scripts: { test: "node --test src" } }));
    writeFileSync(join(place.workspace, "README.md"), "# Shop\n");
    execFileSync("git", ["init", "--quiet", place.workspace]);
    return () => {
      place.remove();
    };
  });

  test("has somebody who says what it promises", () => {
    const known = [...Object.values(PROMISES).map(({ marked }) => marked), SUITE];
    expect(blocks.map(({ text }) => known.filter((marked) => text.includes(marked)).length)).toEqual(known.map(() => 1));
  });

  test.each(Object.entries(PROMISES))("%s keeps what it promises", async (_name, { marked, lines = [], promised }) => {
    const text = blocks.find((block) => block.text.includes(marked))?.text ?? "";
    const file = join(place.root, "example.yaml");
    writeFileSync(file, /^version: /mu.test(text) ? text : ["version: 1", "name: example", ...lines, text].join("\n"));
    const { policy } = loadPolicy(file, { workspace: place.workspace, home: place.home, stateDirectory: place.state });
    const parts = {
      policy,
      tools: createRegistry(),
      setting: { workspace: place.workspace, home: place.home },
      containment: "profile" as const,
      ownPaths: [place.state],
      clock: systemClock,
    };
    for (const { command, connect, seen, on, decision, rule, hooks } of promised) {
      const clock = on === undefined ? systemClock : { ...systemClock, nowMs: () => Date.parse(`${on}T23:59:59Z`) };
      const asked = { ...parts, clock, ...(seen === undefined ? {} : { labels: supposedLabels(seen) }) };
      const verdict =
        command === undefined ? await checkRequest(asked, "shell", { kind: "connect", host: connect ?? "", port: 443 }) : await checkCommand(asked, command);
      expect([command ?? connect, verdict.decision, ...(rule === undefined ? [] : [verdict.rules[0]?.id])]).toEqual([
        command ?? connect,
        decision,
        ...(rule === undefined ? [] : [rule]),
      ]);
      expect(verdict.hooks ?? []).toEqual(hooks ?? []);
    }
  });

  test("the suite passes beside the policy that it is about", async () => {
    const rules = 'commands: { rules: [{ id: tags, allow: "git tag *", max: 1 per run, because: "A tag stays in this repository." }] }';
    writeFileSync(join(place.root, "about.yaml"), `version: 1\nname: about\nextends: supervised\n${rules}\n`);
    writeFileSync(join(place.root, "about.test.yaml"), blocks.find(({ text }) => text.startsWith(SUITE))?.text ?? "");
    expect(await warder(place, ["policy", "test", join(place.root, "about.yaml")])).toMatchObject({
      exitCode: 0,
      stdout: "5 cases: 5 passed, 0 failed; 1 of 1 rule met\n",
    });
  });
});
