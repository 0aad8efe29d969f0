import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../support/certificate.ts";
import { describeWithDocker } from "../support/docker.ts";
import { CLIENTS, type Client } from "../support/registries/clients.ts";
import { type Registry, SERVED_KINDS, type ServedKind, startRegistry } from "../support/registries/registry.ts";
import { makePlace, type CliEnd, warder, writePolicy } from "../support/warder-cli.ts";

/** The image that `npm run soak -- clients` makes. Without it, the clients of Warder's own are tried, and plain HTTP is left to that. */
const IMAGE = process.env["TEST_CLIENTS_IMAGE"];
const HOST = "packages.example.org";
/** So many times as long as a command that does nothing. A client that tries again and again takes more: npm by itself 72 s. */
const PATIENCE = 20;

type Registries = Readonly<Record<string, Registry>>;

describeWithDocker("a client of a registry in a sandbox", () => {
  const here = makePlace();
  const tls = makeCertificate(HOST);
  const authority = join(here.root, "authority.pem");
  const registries: { plain: Registries; secure: Registries } = { plain: {}, secure: {} };
  const start = async (options: Parameters<typeof startRegistry>[1]): Promise<Registries> =>
    Object.fromEntries(await Promise.all(SERVED_KINDS.map(async (kind) => [kind, await startRegistry(kind, { host: HOST, ...options })] as const)));

  beforeAll(async () => {
    writeFileSync(authority, tls.cert);
    registries.plain = await start({});
    registries.secure = await start({ tls });
  });
  afterAll(async () => {
    for (const registry of [...Object.values(registries.plain), ...Object.values(registries.secure)]) await registry[Symbol.asyncDispose]();
    here.remove();
  });

  /** Runs the script under a policy with this network, as somebody who trusts the registries' certificate does. */
  const exec = (script: string, network: string): Promise<CliEnd> => {
    writeFileSync(join(here.workspace, "fetch.sh"), `${script}\n`);
    const image = IMAGE === undefined ? "" : `  image: ${IMAGE}\n`;
    const sandbox = `sandbox:\n  workspace: transactional\n  memory: 2GiB\n  processes: 512\n${image}  network: ${network}\n`;
    const rules = 'commands: { rules: [{ id: fetch, allow: "bash fetch.sh", because: "a test" }] }\n';
    const roots = 'workspace: { roots: [{ path: ".", access: read-write }] }\n';
    const policy = writePolicy(here, "clients", `version: 1\nname: clients\nextends: base\nautonomy: full\n${roots}${sandbox}${rules}`);
    return warder(here, ["exec", "--policy", policy, "--", "bash fetch.sh"], { environment: { NODE_EXTRA_CA_CERTS: authority } });
  };
  const urlOf = (all: Registries, kind: ServedKind): string => all[kind]?.url ?? "";
  const portOf = (all: Registries, kind: ServedKind): number => all[kind]?.port ?? 0;
  const clients = CLIENTS.filter(({ isInImage }) => IMAGE !== undefined || isInImage).map((client) => [client.name, client] as const);

  describe("finds the proxy, and trusts it where TLS ends there", () => {
    test.each(clients)("%s", async (_name, { registry, script, prints }: Client) => {
      const port = portOf(registries.secure, registry);
      const network = `{ allow: [{ host: ${HOST}, port: ${port}, paths: ["/${registry}/**"] }, "127.0.0.1:${port}"], names: { ${HOST}: 127.0.0.1 } }`;
      const { exitCode, stdout, stderr } = await exec(script(urlOf(registries.secure, registry)), network);
      expect({ exitCode, stdout, stderr }).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(prints),
        stderr: expect.not.stringContaining("refused"),
      });
    });
  });

  describe.skipIf(IMAGE === undefined)("finds the proxy over plain HTTP", () => {
    test.each(clients)("%s", async (_name, { registry, script, prints }: Client) => {
      const port = portOf(registries.plain, registry);
      const end = await exec(script(urlOf(registries.plain, registry)), `{ allow: ["${HOST}:${port}", "127.0.0.1:${port}"], names: { ${HOST}: 127.0.0.1 } }`);
      expect(end).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(prints) });
    });
  });

  describe("is told by which rule the proxy refused which host, and what helps", () => {
    test.each(clients)("%s", async (_name, { registry, script, prints }: Client) => {
      const url = urlOf(registries.plain, registry);
      const { exitCode, stdout, stderr } = await exec(script(url), "{ allow: [other.example.org] }");
      expect(exitCode).toBe(1);
      expect(stdout).not.toMatch(prints);
      const { host } = new URL(url);
      expect(stderr).toContain(
        `warder: Warder refused ${host}: the policy does not allow this host and port (host-not-allowed). A person can open hosts in the policy (sandbox.network.allow)`,
      );
    });
  });

  describe("fails at once where there is no network, and is told so", () => {
    let bareMs = 0;
    beforeAll(async () => {
      bareMs = (await exec("true", "{ allow: [] }")).durationMs;
    });

    test.each(clients)("%s", async (_name, { registry, script, prints }: Client) => {
      const { exitCode, stdout, stderr, durationMs } = await exec(script(urlOf(registries.plain, registry)), "{ allow: [] }");
      expect(exitCode).toBe(1);
      expect(stdout).not.toMatch(prints);
      expect(stderr).toMatch(/^warder: This policy gives its sandbox no network.*sandbox\.network\.allow/mu);
      expect(durationMs / bareMs).toBeLessThan(PATIENCE);
    });
  });
});
