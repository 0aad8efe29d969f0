import { describe, expect, test } from "vitest";
import { compileTexts, policyOf, policyText } from "../bench.ts";

function credential(id: string, methods: string, more = "otherwise: refuse"): string {
  return `{ id: ${id}, secret: { env: A }, host: a.example.org, methods: ${methods}, paths: ['/**'], header: { x: '{secret}' }, ${more} }`;
}

const windowsOf = ({ limits }: ReturnType<typeof policyOf>) =>
  limits.windows.map(({ meter, max, perMs, scope, level }) => `${meter} ${max} in ${perMs} for each ${scope}, level ${level}`);

/** [what the parent states, what the child states, what holds] of one value. */
const STRICTER: readonly (readonly [string, string, string, (policy: ReturnType<typeof policyOf>) => unknown, unknown])[] = [
  ["autonomy", "autonomy: supervised", "autonomy: full", ({ autonomy }) => autonomy, "supervised"],
  [
    "hooks",
    "hooks: [{ id: a, on: [stop], script: x, because: b }]",
    "hooks: [{ id: b, on: [ask], tools: [bash], command: [y], rewrite: false, because: b }]",
    ({ hooks }) => hooks?.map(({ id, argv, tools, timeoutMs }) => [id, argv, tools, timeoutMs]),
    [
      ["a", ["sh", "-c", "x"], null, 10_000],
      ["b", ["y"], ["shell"], 10_000],
    ],
  ],
  ["hooks of a parent alone", "hooks: [{ id: a, on: [stop], script: x, because: b }]", "hooks: []", ({ hooks }) => hooks?.map(({ id }) => id), ["a"]],
  ["autonomy, tightened", "autonomy: full", "autonomy: read-only", ({ autonomy }) => autonomy, "read-only"],
  ["block-high-risk", "commands: { block-high-risk: true }", "commands: { block-high-risk: false }", ({ commands }) => commands.blockHighRisk, true],
  ["only", "commands: { only: [a, b] }", "commands: { only: [b, c] }", ({ commands }) => commands.only, ["b"]],
  [
    "an effect",
    "commands: { effects: { history: ask } }",
    "commands: { effects: { history: allow } }",
    ({ commands }) => commands.effects.get("history")?.verdict,
    "ask",
  ],
  [
    "actions",
    "limits: { actions: { max: 10, per: 1h } }",
    "limits: { actions: { max: 20, per: 1d } }",
    windowsOf,
    ["actions 10 in 3600000 for each policy, level 1", "actions 20 in 86400000 for each policy, level 0"],
  ],
  [
    "asks",
    "limits: { asks: { max: 10, per: 1h } }",
    "limits: { asks: { max: 5, per: 30m } }",
    windowsOf,
    ["asks 10 in 3600000 for each policy, level 1", "asks 5 in 1800000 for each policy, level 0"],
  ],
  [
    "cost",
    "limits: { cost: { max-usd: 5, per: 1d } }",
    "limits: { cost: { max-usd: 50, per: 1h } }",
    windowsOf,
    ["cost 5000000 in 86400000 for each policy, level 1", "cost 50000000 in 3600000 for each policy, level 0"],
  ],
  [
    "turns",
    "limits: { run: { turns: 5 } }",
    "limits: { run: { turns: 50, minutes: 2 } }",
    ({ limits }) => limits.run,
    { turns: 5, tokens: 400_000, minutes: 2, actions: null, calls: null, asks: null, maxUsd: null },
  ],
  [
    "counts of a run",
    "limits: { run: { actions: 5, calls: 50, max-usd: 1 } }",
    "limits: { run: { actions: 50, asks: 3, max-usd: 0.5 } }",
    ({ limits: { run } }) => [run.actions, run.calls, run.asks, run.maxUsd],
    [5, 50, 3, 0.5],
  ],
  [
    "sub-agents of a run",
    "limits: { run: { sub-agents: 3, sub-agent-depth: 2 } }",
    "limits: { run: { sub-agents: 20, sub-agent-depth: 3 } }",
    ({ limits: { run } }) => [run.subAgents, run.subAgentDepth],
    [3, 2],
  ],
  [
    "lists of windows, for each job too",
    "limits: { calls: [{ max: 10, per: 1m }, { max: 100, per: 1h }], schedule: { minutes: { max: 30, per: 1d } } }",
    "limits: { schedule: { minutes: { max: 10, per: 1d }, tokens: { max: 1000, per: 1d } } }",
    windowsOf,
    [
      "calls 10 in 60000 for each policy, level 1",
      "calls 100 in 3600000 for each policy, level 1",
      "minutes 1800000 in 86400000 for each schedule, level 1",
      "tokens 1000 in 86400000 for each schedule, level 0",
      "minutes 600000 in 86400000 for each schedule, level 0",
    ],
  ],
  ["runtime", "sandbox: { runtime: docker }", "sandbox: { runtime: bubblewrap }", ({ sandbox }) => sandbox.runtime, "docker"],
  ["image", "sandbox: { image: reviewed }", "sandbox: { image: other }", ({ sandbox }) => sandbox.image, "reviewed"],
  ["image, stated by the child alone", "sandbox: { memory: 1g }", "sandbox: { image: web }", ({ sandbox }) => sandbox.image, "web"],
  [
    "git-identity",
    "commands: { git-identity: { name: A, email: a@example.org } }",
    "commands: { git-identity: { name: B, email: b@example.org } }",
    ({ commands }) => commands.gitIdentity,
    { name: "A", email: "a@example.org" },
  ],
  ["engine-runtime", "sandbox: { engine-runtime: runsc }", "sandbox: { engine-runtime: runc }", ({ sandbox }) => sandbox.engineRuntime, "runsc"],
  ["engine-runtime, tightened", "sandbox: { engine-runtime: runc }", "sandbox: { engine-runtime: runsc }", ({ sandbox }) => sandbox.engineRuntime, "runsc"],
  ["workspace", "sandbox: { workspace: transactional }", "sandbox: { workspace: bind }", ({ sandbox }) => sandbox.workspace, "transactional"],
  ["no workspace", "sandbox: { workspace: bind }", "sandbox: { workspace: none }", ({ sandbox }) => sandbox.workspace, "none"],
  ["env", "sandbox: { env: [CI, TZ] }", "sandbox: { env: [TZ, LANG] }", ({ sandbox }) => sandbox.env, ["TZ"]],
  [
    "network",
    "sandbox: { network: { allow: ['*.example.org', b.example.com] } }",
    "sandbox: { network: { allow: [a.example.org, '*.example.com', x.net] } }",
    ({ sandbox }) => sandbox.network.allow,
    ["a.example.org", "b.example.com"],
  ],
  [
    "registries, with credentials where both say so",
    "sandbox: { network: { registries: [{ name: npm, credentials: true }, { name: pypi, credentials: true }, go] } }",
    "sandbox: { network: { registries: [{ name: npm, credentials: true }, pypi, crates] } }",
    ({ sandbox }) => sandbox.network.registries,
    [
      { name: "npm", credentials: true },
      { name: "pypi", credentials: false },
    ],
  ],
  [
    "registries, where the parent opens none",
    "sandbox: { network: { registries: [] } }",
    "sandbox: { network: { registries: [npm] } }",
    ({ sandbox }) => sandbox.network.registries,
    undefined,
  ],
  [
    "registries, where the parent says nothing of them",
    "sandbox: { network: { allow: [] } }",
    "sandbox: { network: { registries: [npm] } }",
    ({ sandbox }) => [sandbox.network.allow, sandbox.network.registries],
    [[], [{ name: "npm", credentials: false }]],
  ],
  [
    "methods and paths of a host",
    "sandbox: { network: { allow: [a.example.org, { host: b.example.org, methods: [GET, POST], paths: ['/v1/**'] }, { host: c.example.org, methods: [GET] }] } }",
    "sandbox: { network: { allow: [{ host: a.example.org, methods: [GET] }, { host: b.example.org, methods: [GET], paths: ['/v1/a'] }, c.example.org] } }",
    ({ sandbox }) => [sandbox.network.allow, sandbox.network.refined],
    [
      ["a.example.org", "b.example.org", "c.example.org"],
      [
        { host: "a.example.org", methods: ["GET"], paths: null },
        { host: "b.example.org", methods: ["GET"], paths: ["/v1/a"] },
        { host: "c.example.org", methods: ["GET"], paths: null },
      ],
    ],
  ],
  [
    "methods that the parent does not open",
    "sandbox: { network: { allow: [{ host: a.example.org, methods: [GET] }] } }",
    "sandbox: { network: { allow: [{ host: a.example.org, methods: [GET, DELETE] }, { host: a.example.org, port: 22, methods: [GET] }] } }",
    ({ sandbox }) => sandbox.network.refined,
    [{ host: "a.example.org", methods: ["GET"], paths: null }],
  ],
  [
    "credentials",
    `sandbox: { network: { allow: [a.example.org], credentials: [${credential("one", "[GET]", "otherwise: pass")}, ${credential("two", "[GET]")}] } }`,
    `sandbox: { network: { allow: [a.example.org], credentials: [${credential("one", "[GET]")}, ${credential("two", "[GET, POST]")}, ${credential("three", "[GET]")}] } }`,
    ({ sandbox }) => sandbox.network.credentials?.map(({ id, methods, otherwise }) => [id, methods, otherwise]),
    [
      ["one", ["GET"], "refuse"],
      ["two", ["GET"], "refuse"],
    ],
  ],
  [
    "limits of the network",
    "sandbox: { network: { limits: { run: { bytes-up: 1m, connections: 5 }, connection: { bytes-down: 1k } } } }",
    "sandbox: { network: { limits: { run: { bytes-up: 2m, connections: 4 }, host: { requests-per-minute: 9 } } } }",
    ({ sandbox }) => sandbox.network.limits,
    { connection: { bytesDown: 1024 }, host: { requestsPerMinute: 9 }, run: { bytesUp: 1024 ** 2, connections: 4 } },
  ],
  ["no network", "sandbox: { network: { allow: [] } }", "sandbox: { network: { allow: [a.example.org] } }", ({ sandbox }) => sandbox.network.allow, []],
  [
    "numbers",
    "sandbox: { memory: 1g, cpus: 2, processes: 100, command-timeout: 10s, output: 1k }",
    "sandbox: { memory: 2g, cpus: 1, processes: 200, command-timeout: 5s, output: 2k }",
    ({ sandbox: { memoryBytes, cpus, processes, commandTimeoutMs, outputBytes } }) => [memoryBytes, cpus, processes, commandTimeoutMs, outputBytes],
    [1024 ** 3, 1, 100, 5000, 1024],
  ],
  ["on-ask", "unattended: { on-ask: deny }", "unattended: { on-ask: park }", ({ unattended }) => unattended.onAsk, "deny"],
  ["allowed tools", "tools: { allow: ['*'] }", "tools: { allow: [shell] }", ({ tools }) => tools.allow, ["shell"]],
  ["allowed tools by pattern", "tools: { allow: ['read_*', shell] }", "tools: { allow: ['*'] }", ({ tools }) => tools.allow, ["read_*", "shell"]],
  ["denied tools", "tools: { deny: [a] }", "tools: { deny: [b] }", ({ tools }) => tools.deny, ["a", "b"]],
  [
    "roots",
    "workspace: { roots: [{ path: '.', access: read-write }, { path: vendor, access: read }, { path: '~/lib', access: read }] }",
    "workspace: { roots: [{ path: '.', access: read-write }, { path: '~/other', access: read }] }",
    ({ workspace }) => workspace.roots,
    [
      { path: "/home/dev/project", access: "read-write" },
      { path: "/home/dev/project/vendor", access: "read" },
    ],
  ],
  [
    "a narrower root",
    "workspace: { roots: [{ path: '~', access: read }] }",
    "workspace: { roots: [{ path: 'docs', access: read-write }] }",
    ({ workspace }) => workspace.roots,
    [{ path: "/home/dev/project/docs", access: "read" }],
  ],
  [
    "approvers and codes",
    "approvals: { approvers: { publishes: 3, remote: 2 }, codes: [publishes] }",
    "approvals: { approvers: { publishes: 2, sends: 2 }, codes: [sends] }",
    ({ approvals }) => approvals,
    { approvers: { publishes: 3, remote: 2, sends: 2 }, codes: ["publishes", "sends"] },
  ],
];

test.each(STRICTER)("%s: the stricter holds", (...[, parent, child, read, expected]) => {
  expect(read(policyOf(policyText(child), policyText(parent)))).toEqual(expected);
});

test("what a parent does not state a child may", () => {
  const policy = policyOf(
    policyText("autonomy: full", "sandbox: { env: [TZ] }", "workspace: { roots: [{ path: '.', access: read-write }] }"),
    policyText("workspace: { forbidden: ['**/.env'] }"),
  );
  expect([policy.autonomy, policy.sandbox.env, policy.workspace.roots[0]?.access]).toEqual(["full", ["TZ"], "read-write"]);
});

test("a grandparent bounds too", () => {
  expect(policyOf(policyText("autonomy: full"), policyText("commands: {}"), policyText("autonomy: read-only")).autonomy).toBe("read-only");
});

test("asking for more is a warning with both places", () => {
  const result = compileTexts([policyText("autonomy: full", "sandbox: { memory: 4g }"), policyText("autonomy: supervised", "sandbox: { memory: 1g }")]);
  if (result.kind === "refused") throw new Error("The policy was refused.");
  expect(result.warnings.map(({ severity, at, message }) => `${severity} ${at.line}:${at.column} ${message}`)).toEqual([
    "warning 3:11 `autonomy` is looser than what it extends states at parent-1.yaml:3; the stricter holds.",
    "warning 4:20 `sandbox.memory` is looser than what it extends states at parent-1.yaml:4; the stricter holds.",
  ]);
});

test.each([
  ["more in the same time", "{ max: 10, per: 1h }", "{ max: 11, per: 1h }", true],
  ["as much in less time", "{ max: 10, per: 1h }", "{ max: 10, per: 30m }", true],
  ["as much in each of two hours", "{ max: 10, per: 1h }", "{ max: 20, per: 2h }", true],
  ["the same", "{ max: 10, per: 1h }", "{ max: 10, per: 1h }", false],
  ["less in a part of the time", "{ max: 10, per: 1h }", "{ max: 9, per: 1m }", false],
  ["less over a day than every hour of it", "{ max: 10, per: 1h }", "{ max: 239, per: 1d }", false],
])("a window of %s", (_, parent, child, isLooser) => {
  const result = compileTexts([policyText(`limits: { actions: ${child} }`), policyText(`limits: { actions: ${parent} }`)]);
  if (result.kind === "refused") throw new Error("The policy was refused.");
  expect(result.warnings.map(({ message }) => message.slice(0, 26))).toEqual(isLooser ? ["`limits.actions` is looser"] : []);
});

test("asking for less is no warning", () => {
  const result = compileTexts([policyText("autonomy: supervised", "sandbox: { memory: 1g }"), policyText("autonomy: full", "sandbox: { memory: 4g }")]);
  expect(result).toMatchObject({ kind: "compiled", warnings: [] });
});

test("a denied tool that there is not is a warning: misspelt, it denies nothing", () => {
  const [head, body] = [["version: 1", "name: a"], ["tools: { deny: [shel, BASH, printer, 'job_*', bash, 'read_*', mail__send, '*'] }"]];
  const result = compileTexts([`${[...head, ...body].join("\n")}\n`]);
  if (result.kind !== "compiled") throw new Error("The policy was refused.");
  expect(result.warnings.map(({ severity, at, message }) => `${severity} ${at.line}:${at.column} ${message}`)).toEqual([
    "warning 3:17 `shel` denies no tool of this version of Warder.",
    "warning 3:23 `BASH` denies no tool of this version of Warder.",
    "warning 3:29 `printer` denies no tool of this version of Warder.",
    "warning 3:38 `job_*` denies no tool of this version of Warder.",
  ]);
});

describe("a credential that refuses what it does not name", () => {
  const parent = policyText(`sandbox: { network: { allow: [a.example.org], credentials: [${credential("one", "[GET]")}] } }`);
  const under = (network: string): string[] => {
    const result = compileTexts([policyText(`sandbox: { network: { ${network} } }`), parent]);
    return result.kind === "compiled" ? [] : result.diagnostics.map(({ message }) => message.slice(0, 21));
  };

  test.each([
    ["leaves it out", "credentials: []"],
    ["states another", `credentials: [${credential("two", "[GET]")}]`],
    ["limits the host to more", "allow: [{ host: a.example.org, methods: [GET, POST] }], credentials: []"],
  ])("holds for a child that %s", (_, network) => {
    expect(under(network)).toContain("The credential `one` ");
  });

  test.each([
    ["states it too", `credentials: [${credential("one", "[GET]")}]`],
    ["states it for more", `credentials: [${credential("one", "[GET, POST]")}]`],
    ["closes the host", "allow: [b.example.org], credentials: []"],
    ["limits the host to what it names", "allow: [{ host: a.example.org, methods: [GET] }], credentials: []"],
    ["says nothing of it", "limits: { run: { connections: 5 } }"],
  ])("is no obstacle for a child that %s", (_, network) => {
    expect(under(network)).toEqual([]);
  });

  test("holds for a parent whose own are others", () => {
    const result = compileTexts([
      policyText(`sandbox: { network: { allow: [a.example.org], credentials: [${credential("one", "[GET]")}] } }`),
      policyText("sandbox: { network: { credentials: [] } }"),
    ]);
    expect(result).toMatchObject({ kind: "refused", diagnostics: [{ at: { file: "parent-1.yaml" } }] });
  });

  test("that passes the rest keeps nothing closed", () => {
    const passing = policyText(`sandbox: { network: { allow: [a.example.org], credentials: [${credential("one", "[GET]", "otherwise: pass")}] } }`);
    expect(compileTexts([policyText("sandbox: { network: { credentials: [] } }"), passing]).kind).toBe("compiled");
  });
});
