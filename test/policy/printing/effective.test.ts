import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Policy } from "../../../src/policy/policy.ts";
import { effectiveEntries } from "../../../src/policy/printing/entries.ts";
import { effectiveText } from "../../../src/policy/printing/text.ts";
import { bytes, bytesText } from "../../../src/policy/text/quantity.ts";
import { readPolicyDocument } from "../../../src/policy/language/document.ts";
import { policyKeys } from "../../../src/policy/language/schema.ts";
import { CONTEXT, policyOf, policyText } from "../bench.ts";
import { policyLines, text } from "../random-policies.ts";

const shipped = (name: string): string => readFileSync(new URL(`../../../policies/${name}.yaml`, import.meta.url), "utf8");
const printed = (policy: Policy): string => effectiveText(policy.name, effectiveEntries(policy, CONTEXT));
/** What decides: all but who states a window, and how far above. */
const decides = (policy: Policy): unknown => {
  const { digest: _digest, files: _files, positions: _positions, limits, ...rest } = policy;
  const windows = limits.windows.map(({ by: _by, level: _level, ...window }) => window);
  return JSON.parse(
    JSON.stringify({ ...rest, limits: { ...limits, windows } }, (key, value: unknown) =>
      key === "at" || key === "onlyAt" ? undefined : value instanceof Map ? [...value] : value,
    ),
  ) as unknown;
};

const EVERYTHING = policyText(
  "autonomy: supervised",
  "workspace:",
  "  roots: [{ path: '.', access: read-write }, { path: '~/cache', access: read }, { path: '/srv/data', access: read }]",
  "  forbidden: ['**/.env', '~/.netrc', secrets/**, '/etc/shadow*', '**']",
  "  keys: ['**/*.pem']",
  "  protected: ['**/.git/hooks/**', '~/x']",
  "  sensitive: ['docs/**']",
  "commands:",
  "  only: [git, curl]",
  "  block-high-risk: true",
  "  effects: { deletes: ask, sends: [ask, { verdict: deny, when: tainted }], writes: { verdict: ask, when: [tainted, sensitive] } }",
  "  rules:",
  "    - { id: push, ask: 'git push **', because: 'It is seen: \"by others\".', when: tainted, owner: Ada }",
  "    - { id: tag, allow: 'git tag v?', because: Soon., expires: 2027-01-31, between: '22:00-06:00 Europe/Berlin' }",
  "    - { id: no-push, deny: 'git push **', because: People push., except: ['git push origin next', 'git push origin v?'] }",
  "    - { id: few, ask: 'npm install *', max: 10 per 90m, because: Look. }",
  "  git-identity: { name: Ada, email: ada@example.org }",
  "limits:",
  "  actions: [{ max: 10, per: 90m }, { max: 100, per: 1d }]",
  "  cost: { max-usd: 1.001, per: 1d }",
  "  minutes: { max: 30, per: 1h }",
  "  schedule: { calls: { max: 5, per: 500ms } }",
  "  run: { turns: 5, tokens: 9, minutes: 1, actions: 0, calls: 7, asks: 1, max-usd: 0.5, sub-agents: 2, sub-agent-depth: 2 }",
  "sandbox:",
  "  runtime: docker",
  "  engine-runtime: runsc",
  "  image: web",
  "  workspace: bind",
  "  env: [LANG]",
  "  network:",
  "    allow: ['*.example.org', { host: api.example.com, port: 8443, methods: [GET], paths: [/v1/**] }, 'x.example.com:22', auth.example.net]",
  "    registries: [npm, { name: pypi, credentials: true }]",
  "    names: { api.example.com: 10.0.0.1 }",
  "    limits: { connection: { bytes-up: 1k }, host: { requests-per-minute: 9 }, run: { bytes-down: 1GB, connections: 4 } }",
  "    credentials:",
  "      - { id: a, secret: { file: ~/token }, host: auth.example.net, methods: [GET], paths: [/**], header: { Authorization: 'Bearer {secret}' } }",
  "      - { id: b, secret: { env: TOKEN }, host: auth.example.net, port: 80, methods: [GET], paths: [/**], header: { X-Key: '{secret}' }, otherwise: pass }",
  "  memory: 1536m",
  "  cpus: 0.5",
  "  processes: 64",
  "  command-timeout: 90s",
  "  output: 1MB",
  "approvals: { approvers: { deletes: 2 }, codes: [sends] }",
  "unattended: { on-ask: park }",
  "tools:",
  "  allow: [shell, 'github__*']",
  "  deny: [web_fetch]",
  "  mcp: { github__create: { sends: [api.github.com], paths: { file: write }, hosts: [url], commands: [run] } }",
  "hooks:",
  "  - { id: lint, on: [before-tool], tools: [shell], command: [lint, --all], timeout: 5s, cache: 1h, rewrite: true, because: Style. }",
  "  - { id: say, on: [stop], script: 'echo \"a: b\" # c', because: Told. }",
);

test("the policy of these tests states every key of the language", () => {
  const { document } = readPolicyDocument("policy.yaml", EVERYTHING) as { document: object };
  const stated = JSON.stringify(document);
  expect([...policyKeys().keys()].filter((key) => key !== "extends" && !stated.includes(`"${key}":`))).toEqual([]);
});

test("what is printed loads as the same policy, with the same digest", () => {
  const policy = policyOf(EVERYTHING);
  const again = policyOf(printed(policy));
  expect(decides(again)).toEqual(decides(policy));
  expect(again.digest).toBe(policy.digest);
});

test.each(["read-only", "reviewed", "supervised", "operator", "unattended"])("the shipped policy %s, printed with its parent, decides the same", (name) => {
  const policy = policyOf(shipped(name), shipped("base"));
  expect(decides(policyOf(printed(policy)))).toEqual(decides(policy));
});

test("any policy and what it extends, printed as one, decide the same", () => {
  fc.assert(
    fc.property(policyLines, policyLines, (child, parent) => {
      const policy = policyOf(text(child, "child"), text(parent, "parent"));
      expect(decides(policyOf(printed(policy)))).toEqual(decides(policy));
    }),
  );
});

test("each line names the file that binds, or says that it is the default", () => {
  const parent = policyText("autonomy: supervised", "limits: { actions: { max: 3, per: 1h } }", "commands:", "  effects: { deletes: deny }");
  const child = policyText(
    "autonomy: full",
    "limits: { actions: { max: 2, per: 1h } }",
    "commands:",
    "  effects: { deletes: ask, sends: deny }",
    "tools:",
    "  deny: [shell]",
  );
  const lines = printed(policyOf(child, parent)).split("\n");
  const origin = (start: string): string | undefined => lines.find((line) => line.trim().startsWith(start))?.split(" # ")[1];
  expect({
    autonomy: origin("autonomy: supervised"),
    deletes: origin("deletes: deny"),
    sends: origin("sends: deny"),
    three: origin("- { max: 3"),
    two: origin("- { max: 2"),
    memory: origin("memory:"),
    shell: origin("- shell"),
  }).toEqual({
    autonomy: "parent-1.yaml:3",
    deletes: "parent-1.yaml:6",
    sends: "policy.yaml:6",
    three: "parent-1.yaml:4",
    two: "policy.yaml:4",
    memory: "default",
    shell: "policy.yaml:8",
  });
});

test("sizes are written in the largest unit that is exact", () => {
  const sizes = [1, 1000, 1024, 1536 * 1024 ** 2, 1000 ** 3, 999_999_999, 5 * 1024 ** 3];
  expect(sizes.map((size) => bytes(bytesText(size)))).toEqual(sizes);
  expect(bytesText(1536 * 1024 ** 2)).toBe("1536m");
});
