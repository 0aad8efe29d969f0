import { expect, test } from "vitest";
import { httpRequestTool } from "../../../src/tools/web/http-request.ts";

const setting = { workspace: "/repo", home: "/home/somebody" };
const url = "https://example.org/a?b=[1]&c='";

test("http_request asks for the command that does the same, and whatever is no GET or HEAD sends", () => {
  const text = (input: Parameters<typeof httpRequestTool.requests>[0]): unknown => httpRequestTool.requests(input, setting);
  const command = (words: string) => [{ kind: "command", cwd: "/repo", text: `curl -sSg ${words}-- 'https://example.org/a?b=[1]&c=%27'` }];
  expect(text({ method: "get", url })).toEqual(command(""));
  expect(text({ method: "HEAD", url })).toEqual(command("-I "));
  expect(text({ method: "DELETE", url })).toEqual(command("-X DELETE --data-raw '' "));
  expect(text({ method: "OPTIONS", url })).toEqual(command("-X OPTIONS --data-raw '' "));
  expect(text({ method: "GET", url, body: "@it's" })).toEqual(command(String.raw`-X GET --data-raw '@it'\''s' `));
  expect(text({ method: "POST", url, headers: [{ name: "X-A", value: "$(id)" }], body: "b" })).toEqual(command("-X POST -H 'x-a: $(id)' --data-raw 'b' "));
});

test.each([
  ["no address", { url: "example.org" }, "no absolute URL"],
  ["another scheme", { url: "gopher://example.org/" }, "scheme gopher:"],
  ["a password", { url: "https://a:b@example.org/" }, "user name or password"],
  ["a secret", { headers: [{ name: "X-Api-Key", value: "v" }] }, "sandbox.network.credentials"],
  ["a cookie", { headers: [{ name: "cookie", value: "v" }] }, "sandbox.network.credentials"],
  ["framing", { headers: [{ name: "Transfer-Encoding", value: "chunked" }] }, "written by the client"],
  ["another host", { headers: [{ name: "host", value: "b" }] }, "written by the client"],
  [
    "one header twice",
    {
      headers: [
        { name: "a", value: "1" },
        { name: "A", value: "2" },
      ],
    },
    "one name",
  ],
  ["a tunnel", { method: "connect" }, "for proxies"],
  ["a body of a HEAD", { method: "head", body: "x" }, "no body"],
  ["more than a command holds", { method: "POST", body: "'".repeat(32_000) }, "too long together"],
])("http_request takes no %s", (_what, given, problem) => {
  expect(httpRequestTool.validate?.({ method: "GET", url, ...given })).toContain(problem);
});
