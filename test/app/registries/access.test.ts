import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { registriesOf } from "../../../src/app/registries/access.ts";
import type { RegistryName } from "../../../src/policy/network.ts";

const NAMES = { "packages.example.org": "10.1.2.3", "more.example.org": "10.1.2.4" };

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "warder-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  vi.stubEnv("HOME", home);
  for (const name of Object.keys(process.env)) if (/^(?:PIP_|GO[A-Z]+$|CARGO_|MAVEN_|M2_|XDG_)/u.test(name)) vi.stubEnv(name, undefined);
  // Of this machine's own files none is read.
  vi.stubEnv("XDG_CONFIG_DIRS", join(home, "none"));
  vi.stubEnv("MAVEN_HOME", join(home, "none"));
});

function write(name: string, text: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), text);
}

const registries = (name: RegistryName, credentials = false) => registriesOf({ allow: [], registries: [{ name, credentials }], names: NAMES });

test("pip's index, with those beside it, is read from variables and files, without the user's name", async () => {
  write(
    ".config/pip/pip.conf",
    "[global]\nindex-url = https://me:s3cret-word@packages.example.org/own/simple\nextra-index-url =\n    http://more.example.org:8080/simple/\n    file:///opt/none\n[list]\nindex-url = https://list.example.org/\n",
  );
  const { access, secrets } = await registries("pypi");
  expect(access.origins).toMatchObject([
    { host: "packages.example.org", port: 443, base: "/own/simple/", isEncrypted: true, addresses: ["10.1.2.3"], credential: null },
    { host: "more.example.org", port: 8080, base: "/simple/", isEncrypted: false, addresses: ["10.1.2.4"] },
  ]);
  expect(access.env).toMatchObject({ PIP_INDEX_URL: "https://packages.example.org/own/simple", PIP_EXTRA_INDEX_URL: "http://more.example.org:8080/simple/" });
  expect(secrets.size).toBe(0);
  expect(JSON.stringify(access)).not.toContain("s3cret");
  vi.stubEnv("PIP_INDEX_URL", "https://more.example.org/simple");
  expect((await registries("pypi")).access.origins[0]).toMatchObject({ host: "more.example.org" });
});

test("what the client signs in with is the proxy's alone, and only where the policy says so", async () => {
  vi.stubEnv("PIP_INDEX_URL", "https://me:s3cret-word@packages.example.org/simple");
  const { access, secrets } = await registries("pypi", true);
  expect(access.origins[0]?.credential).toEqual({ id: "registry-pypi-1", form: "Basic {basic me}" });
  expect([...secrets]).toEqual([["registry-pypi-1", "s3cret-word"]]);
  expect(JSON.stringify(access)).not.toContain("s3cret");
  // In the clear nobody signs in.
  vi.stubEnv("PIP_INDEX_URL", "http://me:s3cret-word@packages.example.org/simple");
  expect((await registries("pypi", true)).access.origins[0]?.credential).toBeNull();
});

test("pypi.org has its files elsewhere, and nothing but files is read there", async () => {
  expect((await registries("pypi")).access.origins).toMatchObject([
    { host: "pypi.org", base: "/simple/" },
    { host: "files.pythonhosted.org", base: null },
  ]);
});

test("go's proxies are read without direct, which would be any host", async () => {
  write(".config/go/env", "GOPROXY=https://packages.example.org/go|https://more.example.org,direct\nGOSUMDB=off\n");
  const { access } = await registries("go");
  expect(access.origins).toMatchObject([
    { host: "packages.example.org", base: "/go/" },
    { host: "more.example.org", base: "/" },
  ]);
  expect(access.env).toEqual({ GOPROXY: "https://packages.example.org/go,https://more.example.org/", GOSUMDB: "off" });
  vi.stubEnv("GOPROXY", "direct");
  vi.stubEnv("GOSUMDB", "off");
  expect((await registries("go")).access).toMatchObject({ origins: [], env: { GOPROXY: "off" } });
});

test("cargo's replacement of crates.io is followed to its sparse index", async () => {
  write(
    ".cargo/config.toml",
    '[source.crates-io]\nreplace-with = "one" # ours\n[source.one]\nreplace-with = "two"\n[source."two"]\nregistry = "sparse+https://packages.example.org/index/"\n',
  );
  const { access } = await registries("crates");
  expect(access.origins).toMatchObject([{ host: "packages.example.org", base: "/index/" }]);
  expect(access.homeFiles?.[".cargo/config.toml"]).toContain('registry = "sparse+https://packages.example.org/index/"');
});

test.each([
  ["a git index", '[source.crates-io]\nreplace-with = "one"\n[source.one]\nregistry = "https://packages.example.org/index.git"\n'],
  ["a folder", '[source.crates-io]\nreplace-with = "one"\n[source.one]\ndirectory = "vendor"\n'],
  ["a circle", '[source.crates-io]\nreplace-with = "one"\n[source.one]\nreplace-with = "one"\n'],
])("cargo's replacement by %s is refused, not taken for crates.io", async (_what, text) => {
  write(".cargo/config.toml", text);
  await expect(registries("crates")).rejects.toMatchObject({ code: "usage" });
});

test("crates.io itself has its crates elsewhere", async () => {
  expect((await registries("crates")).access.origins).toMatchObject([
    { host: "index.crates.io", base: "/" },
    { host: "static.crates.io", base: null },
  ]);
});

test("Maven's mirror of everything takes the place of Central, and a comment is no mirror", async () => {
  const mirror = (url: string, of: string): string => `<mirror><id>a</id><mirrorOf>${of}</mirrorOf><url>${url}</url></mirror>`;
  write(
    ".m2/settings.xml",
    `<settings><mirrors><!-- ${mirror("https://old.example.org", "*")} -->${mirror("https://packages.example.org/m2", "*,!x")}</mirrors></settings>`,
  );
  const { access } = await registries("maven");
  expect(access.origins).toMatchObject([{ host: "packages.example.org", base: "/m2/" }]);
  expect(access.homeFiles?.[".m2/settings.xml"]).toContain("<url>https://packages.example.org/m2</url>");
});

test("an address that could be read as another is an error, not a registry", async () => {
  vi.stubEnv("PIP_INDEX_URL", "https://packages.example.org/a%2f..%2fb/simple");
  await expect(registries("pypi")).rejects.toMatchObject({ code: "usage" });
});

test("a policy without registries asks no client", async () => {
  vi.stubEnv("PATH", "/nowhere");
  expect(await registriesOf({ allow: [] })).toMatchObject({ access: { origins: [], env: {} } });
});

test("Debian's archive is nowhere where no list of apt's names it", async () => {
  write("apt.conf", `Dir::Etc::sourcelist "${join(home, "sources.list")}"; Dir::Etc::sourceparts "${join(home, "none")}";\n`);
  vi.stubEnv("APT_CONFIG", join(home, "apt.conf"));
  await expect(registries("debian")).rejects.toMatchObject({ code: "usage", message: expect.stringContaining("names an archive of Debian") });
});

test("a registry on this machine is reached by its IPv4 address", async () => {
  vi.stubEnv("PIP_INDEX_URL", "http://localhost:4873/simple");
  expect((await registries("pypi")).access.origins).toMatchObject([{ host: "localhost", port: 4873, addresses: ["127.0.0.1"] }]);
});

test("a password that could be any text is no credential", async () => {
  vi.stubEnv("PIP_INDEX_URL", "https://me:abc@packages.example.org/simple");
  await expect(registries("pypi", true)).rejects.toMatchObject({ code: "usage" });
});
