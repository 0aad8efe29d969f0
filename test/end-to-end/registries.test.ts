import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeCertificate } from "../support/certificate.ts";
import { describeWithDocker } from "../support/docker.ts";
import { type RegistryKind, startRegistry } from "../support/registries/registry.ts";
import { CLEAN, HOST, SEALED_INSTALLS, withOwnPrograms } from "../support/registries/sealed-installs.ts";
import { makePlace, warder, writePolicy } from "../support/warder-cli.ts";

const KINDS = Object.keys(SEALED_INSTALLS) as RegistryKind[];
const IN_IMAGE = KINDS.filter((kind) => SEALED_INSTALLS[kind].client === null);
const ON_MACHINE = KINDS.filter((kind) => !IN_IMAGE.includes(kind));

/** Those whose clients must be there, as in CI ("pypi go"): then a missing one fails. */
const REQUIRED = (process.env["REQUIRE_CLIENTS"] ?? "").split(" ");

/** What is missing of a client that the machine has, in a sandbox that shows the machine's programs; null: nothing. */
function missing(kind: RegistryKind): string | null {
  return ["/usr/bin/bwrap", SEALED_INSTALLS[kind].client ?? ""].find((path) => !existsSync(path)) ?? null;
}

/** Its commands have five minutes: a real index has megabytes. */
const PATIENT = "reviewed";

const sealed = (network: string, parent = "unattended"): string => `version: 1\nname: sealed\nextends: ${parent}\nsandbox: { network: ${network} }\n`;

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** A person whose client is configured for a registry on loopback, and a sealed policy that names it by its kind. */
async function startPerson(kind: RegistryKind) {
  const here = makePlace();
  // Debian's archive is usually asked in the clear: what it says is signed.
  const tls = kind === "debian" ? null : makeCertificate(HOST);
  const registry = await startRegistry(kind, { host: HOST, ...(tls === null ? {} : { tls }) });
  const authority = join(here.root, "authority.pem");
  writeFileSync(authority, tls?.cert ?? "");
  onTestFinished(async () => {
    await registry[Symbol.asyncDispose]();
    here.remove();
  });
  const { home, variables, project, client } = SEALED_INSTALLS[kind];
  writeFiles(here.home, home(registry.url, here.home));
  writeFiles(here.workspace, project);
  const network = `{ registries: [${kind}], names: { ${HOST}: 127.0.0.1 } }`;
  const policy = writePolicy(here, "sealed", client === null ? sealed(network) : withOwnPrograms(kind, network));
  const environment = { ...CLEAN, NODE_EXTRA_CA_CERTS: authority, ...variables?.(registry.url, here.home) };
  const run = (command: string) => warder(here, ["exec", "--policy", policy, "--", command], { environment });
  return { registry, run, here };
}

async function installs(kind: RegistryKind): Promise<void> {
  const { install, prove } = SEALED_INSTALLS[kind];
  const { registry, run, here } = await startPerson(kind);
  expect(await run(`${install} && ${prove}`)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/hello\n$/u) });
  expect(registry.reached.length).toBeGreaterThan(1);
  // Read, and no more.
  expect(registry.reached.filter(({ method, body }) => method !== "GET" || body !== "")).toEqual([]);
  const log = await warder(here, ["audit", "tail", "--json", "--limit", "200"]);
  const connections = log.stdout
    .split("\n")
    .flatMap((line) => (line.includes('"kind":"connection"') ? [JSON.parse(line) as { host: string; request: unknown }] : []));
  // A tunnel has a record beside those of its requests.
  expect(connections.filter(({ request }) => request !== null).map(({ host }) => host)).toEqual(registry.reached.map(() => HOST));
}

describeWithDocker("a sealed run with registries", () => {
  test.each(IN_IMAGE)("installs from the registry that the person's client of %s is configured for, and runs the tests unasked", installs);

  test("opens no host, and publishes nothing", async () => {
    const { registry, run } = await startPerson("npm");
    for (const command of ["npm publish", `curl -sS ${registry.url}/greeting`, "git push https://packages.example.org/x.git HEAD"])
      expect(await run(command)).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(/no-network/u) });
    expect(registry.reached).toEqual([]);
  });

  test("signs in with the person's token over TLS where the policy says so, and nothing inside sees it", async () => {
    const here = makePlace();
    const token = "npm_0123456789abcdefABCDEF-of-a-person";
    const tls = makeCertificate(HOST);
    const registry = await startRegistry("npm", { host: HOST, tls, authorization: `Bearer ${token}` });
    onTestFinished(async () => {
      await registry[Symbol.asyncDispose]();
      here.remove();
    });
    const authority = join(here.root, "authority.pem");
    writeFileSync(authority, tls.cert);
    writeFiles(here.home, { ".npmrc": `registry=${registry.url}/\n${registry.url.replace("https:", "")}/:_authToken=${token}\ncafile=${authority}\n` });
    writeFiles(here.workspace, SEALED_INSTALLS.npm.project);
    const run = async (use: string) => {
      const policy = writePolicy(here, "sealed", sealed(`{ registries: [${use}], names: { ${HOST}: 127.0.0.1 } }`));
      return await warder(here, ["exec", "--policy", policy, "--", "npm install --fetch-retries 0 && npm test; node -p 'JSON.stringify(process.env)'"], {
        environment: CLEAN,
      });
    };
    const without = await run("npm");
    expect(without.stdout + without.stderr).toMatch(/401/u);
    expect(registry.reached.map(({ headers }) => headers["authorization"])).not.toContain(`Bearer ${token}`);
    const signedIn = await run("{ name: npm, credentials: true }");
    expect(signedIn.stdout).toMatch(/^hello$/mu);
    expect(registry.reached.at(-1)?.headers["authorization"]).toBe(`Bearer ${token}`);
    const log = await warder(here, ["audit", "tail", "--json", "--limit", "200"]);
    expect(log.stdout).toContain('"credentials":["registry-npm-1"]');
    for (const text of [without.stdout, without.stderr, signedIn.stdout, signedIn.stderr, log.stdout]) expect(text).not.toContain(token);
  });

  test.skipIf(!isReachable("npm", ["view", "is-number", "version", "--fetch-retries", "0"]))(
    "installs a real package from this machine's own npm registry",
    async () => {
      const here = makePlace();
      onTestFinished(() => here.remove());
      writeFileSync(join(here.workspace, "package.json"), JSON.stringify({ name: "app", version: "1.0.0", dependencies: { "is-odd": "3.0.1" } }));
      const policy = writePolicy(here, "sealed", sealed("{ registries: [npm] }", PATIENT));
      const command = "npm install && npm ci && node -p 'require(\"is-odd\")(3)'";
      expect(await warder(here, ["exec", "--policy", policy, "--", command])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/true\n$/u) });
    },
  );

  test.skipIf(!isReachable("sh", ["-c", "cd $(mktemp -d) && apt-get download -o Acquire::Retries=0 hello; end=$?; rm -r $PWD; exit $end"]))(
    "installs a real package from this machine's own Debian archive",
    async () => {
      const here = makePlace();
      onTestFinished(() => here.remove());
      const policy = writePolicy(here, "sealed", sealed("{ registries: [debian] }", PATIENT));
      const command = "apt-get update && apt-get install --yes hello && hello";
      expect(await warder(here, ["exec", "--policy", policy, "--", command])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/Hello, world!\n$/u),
      });
    },
  );
});

describeWithDocker("a sealed run with the machine's own clients", () => {
  for (const kind of ON_MACHINE)
    test.skipIf(missing(kind) !== null && !REQUIRED.includes(kind))(
      `installs from the registry that the person's client of ${kind} is configured for`,
      async () => {
        expect(missing(kind), "REQUIRE_CLIENTS demands it").toBeNull();
        await installs(kind);
      },
    );
});

/** Whether a client of this machine reaches its registry, as it is configured. A busy machine takes half a minute for that, and is not without a registry. */
function isReachable(program: string, argv: readonly string[]): boolean {
  try {
    execFileSync(program, argv, { timeout: 120_000, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
