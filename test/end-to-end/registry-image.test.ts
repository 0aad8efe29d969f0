import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { npmRegistry } from "../../src/app/begin/npm-registry.ts";
import { addImage, planImage } from "../../src/app/images.ts";
import { openRecords } from "../../src/app/records/records.ts";
import { imageWorkshop } from "../../src/sandbox/image/workshop.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, warder, writePolicy } from "../support/warder-cli.ts";

const NAME = "packages.corp.example.org";
const TOKEN = "npm_0123456789abcdefABCDEF-of-a-person";

type Mirror = {
  readonly url: string;
  readonly authority: string;
  readonly asked: { readonly url: string; readonly token: string | undefined }[];
  close(): void;
};

/** A company's registry: on this machine's own network, with a certificate that nobody else trusts, and for who has the token alone. */
async function startMirror(folder: string): Promise<Mirror> {
  mkdirSync(join(folder, "package"), { recursive: true });
  writeFileSync(join(folder, "package/package.json"), '{"name":"greeting","version":"1.0.0","main":"index.js"}');
  writeFileSync(join(folder, "package/index.js"), 'module.exports = "hello";\n');
  const tarball = execFileSync("tar", ["-cz", "-C", folder, "package"]);
  const [key, authority] = [join(folder, "key.pem"), join(folder, "authority.pem")];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=mirror"];
  execFileSync("openssl", [...request, "-addext", `subjectAltName=DNS:${NAME}`, "-keyout", key, "-out", authority], { stdio: "pipe" });
  const asked: { url: string; token: string | undefined }[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(authority) }, (incoming, answer) => {
    asked.push({ url: incoming.url ?? "", token: incoming.headers.authorization });
    if (incoming.headers.authorization !== `Bearer ${TOKEN}`) return void answer.writeHead(401).end();
    if (incoming.url === "/npm/greeting/-/greeting-1.0.0.tgz") return void answer.end(tarball);
    if (incoming.url !== "/npm/greeting") return void answer.writeHead(404).end();
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${url}/greeting/-/greeting-1.0.0.tgz`, integrity };
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ name: "greeting", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name: "greeting", version: "1.0.0", dist } } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `https://${NAME}:${String((server.address() as AddressInfo).port)}/npm`;
  return { url, authority, asked, close: () => server.close() };
}

describeWithDocker("an image from this account's registry", () => {
  test("has the dependencies, by the registry, certificate and token of npm's own configuration; nothing inside sees the token", async () => {
    const here = makePlace();
    const mirror = await startMirror(join(here.root, "mirror"));
    onTestFinished(async () => {
      await warder(here, ["image", "remove", "app"]);
      mirror.close();
      vi.unstubAllEnvs();
      here.remove();
    });
    const settings = join(here.root, "npmrc");
    const { pathname, host, port } = new URL(mirror.url);
    writeFileSync(settings, `registry=${mirror.url}/\ncafile=${mirror.authority}\n//${host}${pathname}/:_authToken=\${A_TOKEN}\n`);
    // Whatever a preparing command sees it may keep: its variables, and what the client inside is told.
    const postinstall = "node -e \"require('fs').writeFileSync('node_modules/seen', JSON.stringify(process.env))\"";
    const scripts = { test: "node --test", postinstall };
    writeFileSync(join(here.workspace, "package.json"), JSON.stringify({ name: "app", version: "1.0.0", dependencies: { greeting: "1.0.0" }, scripts }));
    const body = 'if (require("greeting") !== "hello") throw new Error("no");';
    writeFileSync(join(here.workspace, "app.test.js"), `require("node:test")("greets", () => { ${body} });\n`);
    vi.stubEnv("WARDER_HOME", here.state);
    // What `npm run` itself states stands above a person's file.
    for (const name of Object.keys(process.env)) if (/^npm_config_/iu.test(name)) vi.stubEnv(name, undefined);
    vi.stubEnv("npm_config_userconfig", settings);
    vi.stubEnv("A_TOKEN", TOKEN);

    const own = await npmRegistry();
    expect(own.network.allow).toEqual([`${NAME}:${port}`]);
    expect([...own.secrets.values()]).toEqual([TOKEN]);
    // What runs inside may read with it, and publish nothing.
    expect([...own.network.refined, ...own.network.credentials].map(({ methods }) => methods)).toEqual([
      ["GET", "HEAD"],
      ["GET", "HEAD"],
    ]);
    expect(JSON.stringify({ ...own, secrets: null })).not.toContain(TOKEN);
    // No name server knows the name: what one would answer.
    const network = { ...own.network, allow: [...own.network.allow, `127.0.0.1:${port}`], names: { [NAME]: "127.0.0.1" } };
    const registry = { ...own, network };
    const records = openRecords();
    let printed = "";
    try {
      const workshop = imageWorkshop({ dockerHost: process.env["DOCKER_HOST"], stateDirectory: here.state });
      const way = {
        kind: "command" as const,
        workspace: here.workspace,
        policy: "unattended",
        command: "npm install",
        hosts: [],
        kept: ["node_modules:/node_modules"],
      };
      const plan = planImage(records, workshop, { name: "app", way: { ...way, registry } });
      await addImage(records, workshop, plan, {
        by: "a test",
        signal: new AbortController().signal,
        onText: (text) => void (printed += text),
        onPhase: () => undefined,
      });
    } finally {
      records.store.close();
    }
    expect(mirror.asked.map(({ url }) => url)).toContain("/npm/greeting/-/greeting-1.0.0.tgz");
    expect(mirror.asked.every(({ token }) => token === `Bearer ${TOKEN}`)).toBe(true);

    const policy = writePolicy(here, "sealed", "version: 1\nname: sealed\nextends: unattended\nsandbox: { image: app }\n");
    expect(await warder(here, ["exec", "--policy", policy, "--", "npm test"])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/pass 1/u) });
    const seen = await warder(here, ["exec", "--policy", policy, "--", "cat /node_modules/seen"]);
    expect(seen.stdout).toContain(`"npm_config_registry":"${mirror.url}/"`);
    const log = await warder(here, ["audit", "--json", "--limit", "200"]);
    expect(log.stdout).toContain('"kind":"credential-used"');
    for (const text of [seen.stdout, log.stdout, printed]) expect(text).not.toContain(TOKEN);
  });
});
