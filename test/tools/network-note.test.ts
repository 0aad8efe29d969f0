import { describe, expect, test } from "vitest";
import { renderShellOutcome } from "../../src/tools/commands/shell.ts";
import type { ActionResult } from "../../src/sandbox/outcome.ts";

type ExecResult = Extract<ActionResult, { kind: "exec" }>;

const output = (text: string): ExecResult["stdout"] => ({ text, totalBytes: text.length, cutBytes: 0 });

function told(changes: Partial<ExecResult> & { readonly err?: string; readonly out?: string }): string {
  const { err = "", out = "", ...rest } = changes;
  const result: ExecResult = { kind: "exec", exitCode: 1, signal: null, stdout: output(out), stderr: output(err), ...rest };
  const { content } = renderShellOutcome({ kind: "completed", result, durationMs: 1 });
  const text = content.map((part) => (part.kind === "text" ? part.text : "")).join("");
  return text
    .split("\n")
    .filter((line) => line.startsWith("note: ") && !err.includes(line))
    .join("\n");
}

describe("the note that a model reads of a command without a network", () => {
  test.each([
    ["curl", "curl: (6) Could not resolve host: packages.example.org"],
    ["wget", "wget: unable to resolve host address 'packages.example.org'"],
    ["Node.js", "code: 'EAI_AGAIN', syscall: 'getaddrinfo'"],
    ["npm", "npm error code ENOTCACHED"],
    ["Python", "urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>"],
    ["pip", "ERROR: Could not find a version that satisfies the requirement greeting (from versions: none)"],
    ["cargo", "note: offline mode (via `--offline`) can sometimes cause surprising resolution failures"],
    ["Go", 'go: example.org/a@latest: Get "http://proxy.example.org": dial tcp: lookup proxy.example.org on [::1]:53: connection refused'],
    ["Go with its proxy off", "go: example.org/a@v1.0.0: module lookup disabled by GOPROXY=off"],
    ["Java", "Exception in thread main java.net.UnknownHostException: packages.example.org"],
    ["git", "fatal: unable to access 'http://git.example.org/': Could not resolve host: git.example.org"],
    ["apt", "W: Failed to fetch http://packages.example.org/InRelease  Temporary failure resolving 'packages.example.org'"],
    ["uv", "because the network was disabled"],
  ])("stands behind the words of %s", (_client, err) => {
    expect(told({ err, network: "none" })).toMatch(/^note: This policy gives its sandbox no network.*sandbox\.network\.allow/u);
  });

  test("stands also behind a command that ends well and warns, as apt-get update does, but not behind what one prints", () => {
    const words = "Temporary failure in name resolution";
    expect(told({ err: words, exitCode: 0, network: "none" })).toContain("no network");
    expect(told({ out: words, exitCode: 0, network: "none" })).toBe("");
    expect(told({ out: words, network: "none" })).toContain("no network");
    expect(told({ err: "3 tests failed", network: "none" })).toBe("");
  });
});

describe("the note of what the proxy refused", () => {
  const refused = (code: "host-not-allowed" | "rate-limit" | "unknown-header" | "request-not-allowed") => [
    { target: "packages.example.org:443", code, reason: "the reason" } as const,
  ];

  test.each([
    ["host-not-allowed", /A person can open hosts in the policy \(sandbox\.network\.allow\)/u],
    ["request-not-allowed", /allow its method and path: sandbox\.network\.allow\.$/u],
    ["rate-limit", /sandbox\.network\.limits\.$/u],
    ["unknown-header", /Write the request otherwise/u],
  ] as const)("names host, rule and what helps: %s", (code, remedy) => {
    const note = told({ network: refused(code) });
    expect(note).toContain(`Warder refused packages.example.org:443: the reason (${code}).`);
    expect(note).toMatch(remedy);
  });

  test("stands also behind a command that ends well, as curl does with a refusal", () => {
    expect(told({ exitCode: 0, network: refused("host-not-allowed") })).toContain("packages.example.org:443");
    expect(told({ exitCode: 0, network: [] })).toBe("");
  });
});

describe("the note that a model reads of a command in a bound worktree", () => {
  const DELETED = "error: could not delete reference refs/tags/v1: Unable to create '/srv/r/.git/packed-refs.lock': Read-only file system";
  test.each([DELETED, "fatal: Unable to create '/srv/r/.git/gc.pid.lock': Read-only file system"])("says what git cannot do there: %s", (err) => {
    expect(told({ err, sharesRefs: true })).toMatch(
      /^note: [^]*no branch or tag is deleted, renamed or packed, and `git gc` does not run[^]*outside the sandbox/u,
    );
  });

  test("is not there elsewhere, or where nothing was refused", () => {
    expect([told({ err: DELETED }), told({ err: "error: no such branch", sharesRefs: true })]).toEqual(["", ""]);
  });
});
