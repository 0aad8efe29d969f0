import { expect, test } from "vitest";
import type { RegistryName } from "../../../../src/policy/network.ts";
import { lookAt } from "../../../../src/sandbox/egress/registries/answer.ts";
import { judgeRegistryRequest } from "../../../../src/sandbox/egress/registries/judge.ts";
import { NamesBudget } from "../../../../src/sandbox/egress/registries/names.ts";
import type { RegistryOrigin } from "../../../../src/sandbox/egress/registries/origin.ts";

const originOf = (registry: RegistryName, base: string | null = "/own/"): RegistryOrigin => ({
  registry,
  isEncrypted: true,
  host: "packages.example.org",
  port: 443,
  base,
  addresses: [],
  trusted: [],
  credential: null,
});

function judge(registry: RegistryName, path: string, more: { method?: string; headers?: readonly string[]; isEncrypted?: boolean; base?: string | null } = {}) {
  const { method = "GET", headers = [], isEncrypted = true, base } = more;
  const target = { host: "packages.example.org", port: 443 };
  return judgeRegistryRequest([originOf(registry, base)], { target, method, path, rawHeaders: headers, isEncrypted });
}

const DIGEST = "0123456789abcdef".repeat(4);

test.each<readonly [RegistryName, string]>([
  ["npm", "/own/left-pad"],
  ["npm", "/own/JSONStream"],
  ["npm", "/own/@words%2fhello"],
  ["npm", "/own/@words/hello/-/hello-1.0.0-rc.1.tgz"],
  ["npm", "/own/left-pad/1.3.0"],
  ["npm", "/own/left-pad/latest"],
  ["pypi", "/own/zope-interface/"],
  ["pypi", "/packages/aa/bb/cc/zope.interface-5.0-cp311-cp311-manylinux_2_17_x86_64.whl.metadata"],
  ["pypi", "/own/root/+f/abc/def/requests-2.0.tar.gz"],
  ["debian", "/own/dists/bookworm-updates/main/binary-amd64/Packages.xz"],
  ["debian", `/own/dists/bookworm/main/binary-amd64/by-hash/SHA256/${DIGEST}`],
  ["debian", "/own/dists/bookworm/InRelease"],
  ["debian", "/own/dists/bookworm/main/dep11/Components-amd64.yml.gz"],
  ["debian", "/own/dists/bookworm/main/i18n/Translation-en.xz"],
  ["debian", "/own/pool/main/g/g%2b%2b/libstdc%2b%2b6_12.2.0-14%7edeb12u1_amd64.deb"],
  ["crates", "/own/config.json"],
  ["crates", "/own/3/r/ryu"],
  ["crates", "/own/se/rd/serde_json"],
  ["crates", "/crates/serde/serde-1.0.200.crate"],
  ["crates", "/api/v1/crates/serde/1.0.200%2Bbuild/download"],
  ["go", "/own/github.com/!burnt!sushi/toml/@v/list"],
  ["go", "/own/golang.org/x/net/@v/v0.0.0-20200226121028-0de0cce0169b.zip"],
  ["go", "/own/gopkg.in/yaml.v3/@latest"],
  ["go", "/own/sumdb/sum.golang.org/tile/8/0/x001/234.p/7"],
  ["go", "/own/sumdb/sum.golang.org/lookup/golang.org/x/net@v0.1.0"],
  ["maven", "/own/org/apache/commons/commons-lang3/3.14.0/commons-lang3-3.14.0-sources.jar.sha1"],
  ["maven", "/own/org/codehaus/mojo/maven-metadata.xml"],
])("%s: reads %s", (registry, path) => {
  expect(judge(registry, path)).not.toHaveProperty("refusal");
});

test.each<readonly [string, RegistryName, string]>([
  ["a query", "npm", "/own/left-pad?secret"],
  ["an empty query", "npm", "/own/left-pad?"],
  ["a search", "npm", "/own/-/v1/search"],
  ["a token's door", "npm", "/own/-/user/token/npm_abc"],
  ["an account", "npm", "/own/-/user/org.couchdb.user:me"],
  ["dist-tags", "npm", "/own/-/package/left-pad/dist-tags"],
  ["another folder of the host", "npm", "/other/left-pad"],
  ["a way up", "npm", "/own/../other"],
  ["an escaped way up", "npm", "/own/%2e%2e/other"],
  ["an escape of an escape", "npm", "/own/left%2570ad"],
  ["an empty component", "npm", "/own//left-pad"],
  ["path parameters", "npm", "/own/left-pad;secret=1"],
  ["a name that is too long", "npm", `/own/${"a".repeat(215)}`],
  ["a version that is too long", "npm", `/own/left-pad/${"1".repeat(80)}`],
  ["a name with bytes beyond ASCII", "npm", "/own/%E2%9C%93"],
  ["a fragment", "npm", "/own/left-pad#secret"],
  ["a file that is no archive", "pypi", "/packages/aa/notes.txt"],
  ["another spelling of a name", "pypi", "/own/Zope.Interface/"],
  ["another spelling of a crate", "crates", "/own/se/rd/seRde"],
  ["a page of the index's host", "pypi", "/search/secret"],
  ["a file that is no index", "debian", "/own/dists/bookworm/secret"],
  ["another tree", "debian", "/own/secrets/x_1_all.deb"],
  ["a digest that is none", "debian", "/own/dists/bookworm/by-hash/SHA256/c2VjcmV0"],
  ["an index folder that is none", "crates", "/own/secret"],
  ["a version that is none", "crates", "/crates/serde/secret/download"],
  ["a verb that is none", "go", "/own/example.org/x/@v/secret"],
  ["no file of a module", "go", "/own/example.org/x"],
  ["a file that is no artifact", "maven", "/own/org/example/secret.txt"],
  ["a path that is too long", "maven", `/own/${"a/".repeat(10)}${"b".repeat(99)}/${"c".repeat(99)}/${"d".repeat(99)}/${"e".repeat(99)}.jar`],
])("refuses %s (%s)", (_what, registry, path) => {
  expect(judge(registry, path)).toEqual({ refusal: "registry-request" });
});

test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "get"])("refuses the method %s", (method) => {
  expect(judge("npm", "/own/left-pad", { method })).toEqual({ refusal: "registry-request" });
});

test("reads the head alone, too", () => {
  expect(judge("npm", "/own/left-pad", { method: "HEAD" })).toMatchObject({ path: "/own/left-pad" });
});

test.each([
  ["a length", ["Content-Length", "6"]],
  ["chunks", ["Transfer-Encoding", "chunked"]],
  ["trailers", ["Trailer", "X-Secret"]],
])("refuses a body (%s)", (_what, headers) => {
  expect(judge("npm", "/own/left-pad", { headers })).toEqual({ refusal: "registry-request" });
});

test("says nothing of the client but the format that it reads", () => {
  const headers = [
    "User-Agent",
    "secret",
    "Cookie",
    "secret",
    "Authorization",
    "Bearer secret",
    "If-None-Match",
    '"secret"',
    "Range",
    "bytes=1-2",
    "Accept",
    "x/secret",
  ];
  const judged = judge("npm", "/own/left-pad", { headers: [...headers, "npm-session", "secret", "Accept-Encoding", "secret, gzip;q=0.123"] });
  expect(judged).toMatchObject({
    headers: [
      ["User-Agent", "warder"],
      ["Accept", "*/*"],
      ["Accept-Encoding", "gzip"],
    ],
  });
  const json = judge("pypi", "/own/requests/", { headers: ["accept", "application/vnd.pypi.simple.v1+json; secret=1"] });
  expect(JSON.stringify(json)).toContain("application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html; q=0.1, text/html; q=0.01");
  expect(JSON.stringify(json)).not.toContain("secret");
});

test("keeps to the scheme that is configured", () => {
  expect(judge("npm", "/own/left-pad", { isEncrypted: false })).toEqual({ refusal: "registry-request" });
});

test("has archives alone where an index keeps its files", () => {
  expect(judge("pypi", "/requests/", { base: null })).toEqual({ refusal: "registry-request" });
  expect(judge("pypi", "/packages/aa/requests-2.0.tar.gz", { base: null })).toMatchObject({ path: "/packages/aa/requests-2.0.tar.gz" });
});

test("takes the nearest of two registries below one host", () => {
  const origins = [originOf("npm", "/"), originOf("npm", "/own/")];
  const asked = { target: { host: "packages.example.org", port: 443 }, method: "GET", path: "/own/left-pad", rawHeaders: [], isEncrypted: true };
  expect(judgeRegistryRequest(origins, asked)).toMatchObject({ origin: { base: "/own/" } });
});

test.each([
  ["/own/evil.example.org/secret/@v/list", "evil.example.org/secret@"],
  ["/own/evil.example.org/secret/@latest", "evil.example.org/secret@"],
  ["/own/evil.example.org/secret/@v/v1.0.0-more.zip", "evil.example.org/secret@v1.0.0-more"],
  ["/own/sumdb/sum.golang.org/lookup/evil.example.org/secret@v1.0.0-more", "evil.example.org/secret@v1.0.0-more"],
  ["/own/lookup/evil.example.org/secret@v1.0.0", "evil.example.org/secret@v1.0.0"],
  ["/own/github.com.evil.example.org/x/@v/list", "github.com.evil.example.org/x@"],
])("a module whose host may be anybody's is counted by its name and version: %s", (path, name) => {
  expect(judge("go", path)).toMatchObject({ name, isStrangers: true });
});

test.each(["/own/github.com/me/it/@v/list", "/own/golang.org/x/net/@v/v0.1.0.mod", "/own/sumdb/sum.golang.org/tile/8/0/001"])("%s is no stranger's", (path) => {
  expect(judge("go", path)).toMatchObject({ isStrangers: false });
});

test("that a stranger has a name shows nothing", async () => {
  const names = new NamesBudget(undefined, { names: 2, characters: 1000 });
  const asked = { target: { host: "packages.example.org", port: 443 }, path: "", isEncrypted: true };
  const found = async (path: string): Promise<boolean> => {
    const request = judge("go", path);
    if ("refusal" in request) throw new Error(request.refusal);
    if (!(await names.take(request.name))) return false;
    lookAt({ statusCode: 200, headers: {} }, request, { ...asked, path }, { registries: { origins: [originOf("go")], names } });
    names.leave(request.name, true);
    return true;
  };
  const taken: boolean[] = [];
  for (const at of [1, 2, 3, 4]) taken.push(await found(`/own/evil.example.org/secret-${String(at)}/@v/list`));
  expect(taken).toEqual([true, true, false, false]);
  expect(await found("/own/evil.example.org/secret-1/@latest")).toBe(true);
});
