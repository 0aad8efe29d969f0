import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { listenAddress, settingsJsonSchema } from "../../src/config/settings.ts";
import { NO_MODELS, readSettings } from "../../src/config/settings-file.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

function settings(text: string, mode = 0o600) {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, "settings.yaml"), text);
  chmodSync(join(directory, "settings.yaml"), mode);
  return readSettings(directory);
}

const webhook = (change: string) => `version: 1
approvals:
  webhooks:
    - { name: pager, url: "https://hooks.example.org/x", secret: { env: PAGER }, holder: ann${change === "" ? "" : `, ${change}`} }
`;

test("the published schema is the one that is used", () => {
  const published = readFileSync(new URL("../../schemas/settings.schema.json", import.meta.url), "utf8");
  expect(published).toBe(`${JSON.stringify(settingsJsonSchema(), null, 2)}\n`);
});

describe("settings", () => {
  test("are none without a file", () => {
    expect(readSettings(temporaryDirectory())).toEqual({
      webhooks: [],
      answers: null,
      anchor: null,
      archiveAfterMs: null,
      models: NO_MODELS,
      requests: null,
      search: null,
      mcp: [],
      skills: [],
      openapi: [],
      hooks: [],
      projects: { from: null, confirmed: [] },
    });
  });

  test("name webhooks, the endpoint for answers, the anchor and how long records stay", () => {
    const read = settings(`${webhook("")}  answers: { url: "https://answers.example.org/warder" }
audit: { anchor: "file:/mnt/other/warder.jsonl", archive-after: 90d }
`);
    expect(read.webhooks).toEqual([{ name: "pager", url: new URL("https://hooks.example.org/x"), secret: { kind: "variable", name: "PAGER" }, holder: "ann" }]);
    expect(read.answers).toEqual({ listen: { host: "127.0.0.1", port: 8717 }, url: new URL("https://answers.example.org/warder/") });
    expect(read).toMatchObject({ anchor: "file:/mnt/other/warder.jsonl", archiveAfterMs: 90 * 86_400_000 });
  });

  test("name the program that opens a request for review, with known placeholders alone", () => {
    const requests = (words: string, more = "") => settings(`version: 1\nrequests: { command: ${words}${more} }\n`).requests;
    expect(requests('["/usr/bin/gh", "--head", "{branch}"]')).toEqual({ command: ["/usr/bin/gh", "--head", "{branch}"], remote: "origin" });
    expect(requests('["/usr/bin/gh", "--head={branch}", "--body={body}"]', ", remote: fork")).toMatchObject({ remote: "fork" });
    expect(() => requests('["gh", "{branch}"]')).toThrow(/absolute path of a program/u);
    expect(() => requests('["/usr/bin/gh"]')).toThrow(/names the branch/u);
    expect(() => requests('["/usr/bin/gh", "{branch}", "{token}"]')).toThrow(/A placeholder is one of \{branch\}, \{base\}/u);
    expect(() => requests('["/usr/{branch}/gh", "{branch}"]')).toThrow(/stands in a word after the program/u);
    expect(() => requests('["/usr/bin/gh", "{branch}"]', ', remote: "--upload-pack=x"')).toThrow(/as `git remote` lists it/u);
  });

  test("name MCP servers that are started, and ones that answer at an address, encrypted or on this machine", () => {
    const servers = (text: string) => settings(`version: 1\nmcp: { notes: ${text} }\n`).mcp;
    expect(servers('{ url: "https://mcp.example.org/mcp" }')).toEqual([
      { name: "notes", url: "https://mcp.example.org/mcp", command: [], roots: [], hosts: [], env: [], timeoutMs: 60_000 },
    ]);
    expect(servers('{ url: "http://127.0.0.1:8080/mcp" }')).toHaveLength(1);
    for (const url of ["http://mcp.example.org/", "http://localhost/", "https://ann:secret@mcp.example.org/", "https://mcp.example.org/#x", "file:///etc"])
      expect(() => servers(`{ url: "${url}" }`)).toThrow(/An address of a server is an https URL/u);
    expect(() => servers("{ hosts: [a.example.org] }")).toThrow(/either a command or a url/u);
    expect(() => servers('{ command: [node], url: "https://mcp.example.org/" }')).toThrow(/either a command or a url/u);
    expect(() => servers('{ url: "https://mcp.example.org/", env: [TOKEN] }')).toThrow(/is not started here/u);
  });

  test("name what searches the web, with no key in its address", () => {
    const search = (text: string) => settings(`version: 1\nsearch: ${text}\n`).search;
    expect(search('{ kind: searxng, url: "http://search.example.org:8080/search" }')).toEqual({
      kind: "searxng",
      url: "http://search.example.org:8080/search",
    });
    expect(() => search('{ kind: other, url: "https://search.example.org/" }')).toThrow(/search\.kind/u);
    for (const url of ["search.example.org", "file:///etc/passwd", "https://a:b@search.example.org/"])
      expect(() => search(`{ kind: plain, url: "${url}" }`)).toThrow(/http or https URL without a user name/u);
    for (const query of ["key=x", "api_key=x", "lang=en&access-token=x"])
      expect(() => search(`{ kind: plain, url: "https://search.example.org/?${query}" }`)).toThrow(/sandbox\.network\.credentials/u);
  });

  test.each(["http://127.0.0.1:8000/x", "http://[::1]/x", "http://localhost/x", "https://hooks.example.org:8443/x?y=z"])("take the address %s", (url) => {
    expect(settings(webhook("").replace("https://hooks.example.org/x", url)).webhooks[0]?.url.href).toBe(url);
  });

  test.each([
    "http://hooks.example.org/x",
    "http://127.0.0.1.example.org/x",
    "http://10.0.0.1/x",
    "ftp://hooks.example.org/x",
    "file:///etc/passwd",
    "https://user:password@hooks.example.org/x",
    "hooks.example.org",
  ])("refuse the address %s", (url) => {
    expect(() => settings(webhook("").replace("https://hooks.example.org/x", url))).toThrow(/settings\.yaml:4:\d+: error: .*https URL/u);
  });

  test.each<[string, string]>([
    ["an unknown key", webhook("retries: 9")],
    ["a relative secret", webhook("").replace("{ env: PAGER }", "{ file: secret }")],
    ["a secret in the file itself", webhook("").replace("{ env: PAGER }", "whsec_abc")],
    ["a holder who is no name", webhook("").replace("holder: ann", 'holder: "Ann <ann@example.org>"')],
    ["two webhooks of one name", `${webhook("")}    - { name: pager, url: "https://b.example.org/", secret: { env: B }, holder: bob }\n`],
    ["an endpoint that all may reach", "version: 1\napprovals: { answers: { listen: 0.0.0.0:80, url: https://a.example.org/ } }\n"],
    ["an endpoint in clear text", "version: 1\napprovals: { answers: { url: http://a.example.org/ } }\n"],
    ["an archive of this morning", "version: 1\naudit: { archive-after: 2h }\n"],
    ["another version", "version: 2\n"],
    ["no YAML", "version: [\n"],
  ])("refuse %s", (_what, text) => {
    expect(() => settings(text)).toThrow(expect.objectContaining({ code: "bad-configuration" }));
  });

  test("say where a key stands that there is none of, and what the version must be", () => {
    expect(() => settings("version: 1\naudit: {}\nanchor: x\n")).toThrow(/settings\.yaml:3:1: error: `anchor` is not a key of the settings\./u);
    expect(() => settings("version: 2\n")).toThrow(/settings\.yaml:1:10: error: `version` must be 1/u);
    expect(() => settings("audit: {}\n")).toThrow(/settings\.yaml:1:1: error: `version` must be 1/u);
  });

  test("that others could have written are refused", () => {
    expect(() => settings("version: 1\n", 0o620)).toThrow("may be changed by others");
    expect(() => settings("version: 1\n", 0o602)).toThrow("may be changed by others");
  });

  test("behind a link, or that are no file, are refused", () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "other.yaml"), "version: 1\n");
    symlinkSync(join(directory, "other.yaml"), join(directory, "settings.yaml"));
    expect(() => readSettings(directory)).toThrow("is a link");
    const other = temporaryDirectory();
    mkdirSync(join(other, "settings.yaml"));
    expect(() => readSettings(other)).toThrow("is no regular file");
  });
});

test.each(["127.0.0.1:80", "[::1]:0", "127.0.0.1:65535"])("%s is an address of loopback", (text) => {
  expect(listenAddress(text)).not.toBeNull();
});
test.each(["", "8717", ":8717", "localhost:80", "0.0.0.0:80", "[::]:80", "127.0.0.1:65536", "127.0.0.1:080", "127.0.0.1:80 "])("%j is none", (text) => {
  expect(listenAddress(text)).toBeNull();
});

describe("models in the settings", () => {
  test("name the first and those behind it, a small one, and where keys come from", () => {
    const { models } = settings(`version: 1
models: { main: ["anthropic:claude-sonnet-5", "openai:gpt-5.4"], small: "anthropic:claude-haiku-4-5" }
keys:
  anthropic: { command: [/usr/bin/secret-tool, lookup, service, anthropic] }
  openai: { env: WORK_KEY }
  google: { file: /etc/google.key }
`);
    expect(models).toEqual({
      main: ["anthropic:claude-sonnet-5", "openai:gpt-5.4"],
      small: "anthropic:claude-haiku-4-5",
      keys: new Map([
        ["anthropic", { kind: "command", argv: ["/usr/bin/secret-tool", "lookup", "service", "anthropic"] }],
        ["openai", { kind: "variable", name: "WORK_KEY" }],
        ["google", { kind: "file", path: "/etc/google.key" }],
      ]),
    });
    expect(settings('version: 1\nmodels: { main: "ollama:qwen3:8b" }\n').models.main).toEqual(["ollama:qwen3:8b"]);
  });

  test.each([
    ['models: { main: "claude" }', "PROVIDER:NAME"],
    ['models: { main: "anthropic:a,openai:b" }', "PROVIDER:NAME"],
    ["models: { main: [] }", "up to 8"],
    ["models: { other: 'openai:x' }", "other"],
    ["keys: { scripted: { env: X } }", "scripted"],
    ["keys: { openai: sk-1234567890 }", "A key comes from"],
    ["keys: { openai: { command: [secret-tool] } }", "A key comes from"],
    ["keys: { openai: { file: key.txt } }", "A key comes from"],
  ])("refuse %s", (line, words) => {
    expect(() => settings(`version: 1\n${line}\n`)).toThrow(words);
  });
});
