import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { registriesOf } from "../../src/app/registries/access.ts";
import { addImage, planImage } from "../../src/app/images.ts";
import { openRecords } from "../../src/app/records/records.ts";
import { imageWorkshop } from "../../src/sandbox/image/workshop.ts";
import { makeCertificate } from "../support/certificate.ts";
import { describeWithDocker } from "../support/docker.ts";
import { startRegistry } from "../support/registries/registry.ts";
import { makePlace, warder, writePolicy } from "../support/warder-cli.ts";

const NAME = "packages.corp.example.org";
const TOKEN = "npm_0123456789abcdefABCDEF-of-a-person";

describeWithDocker("an image from this account's registry", () => {
  test("has the dependencies, by the registry, certificate and token of npm's own configuration; nothing inside sees the token", async () => {
    const here = makePlace();
    // A company's registry: on this machine's own network, with a certificate that nobody else trusts, and for who has the token alone.
    const tls = makeCertificate(NAME);
    const mirror = await startRegistry("npm", { host: NAME, tls, authorization: `Bearer ${TOKEN}` });
    onTestFinished(async () => {
      await warder(here, ["image", "remove", "app"]);
      await mirror[Symbol.asyncDispose]();
      vi.unstubAllEnvs();
      here.remove();
    });
    const settings = join(here.root, "npmrc");
    const { pathname, host, port } = new URL(mirror.url);
    const authority = join(here.root, "authority.pem");
    writeFileSync(authority, tls.cert);
    writeFileSync(settings, `registry=${mirror.url}/\ncafile=${authority}\n//${host}${pathname}/:_authToken=\${A_TOKEN}\n`);
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

    // No name server knows the name: what one would answer.
    const registry = await registriesOf({ allow: [], registries: [{ name: "npm", credentials: true }], names: { [NAME]: "127.0.0.1" } });
    expect(registry.access.origins).toMatchObject([{ host: NAME, port: Number(port), base: "/npm/", isEncrypted: true }]);
    expect([...registry.secrets.values()]).toEqual([TOKEN]);
    expect(JSON.stringify({ ...registry, secrets: null })).not.toContain(TOKEN);
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
    expect(mirror.reached.map(({ url }) => url)).toContain("/npm/greeting/-/greeting-1.0.0.tgz");
    expect(mirror.reached.every(({ headers }) => headers["authorization"] === `Bearer ${TOKEN}`)).toBe(true);

    const policy = writePolicy(here, "sealed", "version: 1\nname: sealed\nextends: unattended\nsandbox: { image: app }\n");
    expect(await warder(here, ["exec", "--policy", policy, "--", "npm test"])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/pass 1/u) });
    const seen = await warder(here, ["exec", "--policy", policy, "--", "cat /node_modules/seen"]);
    expect(seen.stdout).toContain(`"npm_config_registry":"${mirror.url}/"`);
    const log = await warder(here, ["audit", "--json", "--limit", "200"]);
    expect(log.stdout).toContain('"credentials":["registry-npm-1"]');
    for (const text of [seen.stdout, log.stdout, printed]) expect(text).not.toContain(TOKEN);
  });
});
