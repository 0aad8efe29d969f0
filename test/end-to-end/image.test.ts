import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeWithDocker } from "../support/docker.ts";
import { warderAtTerminal } from "../support/pseudo-terminal.ts";
import { type Registry, startRegistry } from "../support/registries/registry.ts";
import { makePlace, OPENED, warder, writePolicy, type Place } from "../support/warder-cli.ts";

async function addAtTerminal(here: Place, name: string, argv: readonly string[]): Promise<{ readonly exitCode: number | null; readonly screen: string }> {
  const terminal = warderAtTerminal(here, ["image", "add", name, ...argv]);
  await terminal.shows(new RegExp(`type: ${name}`, "u"));
  terminal.type(`${name}\r`);
  return { exitCode: await terminal.ended, screen: terminal.screen() };
}

type Listed = { readonly images: readonly { readonly name: string; readonly image: string; readonly isThere: boolean }[] };
const listed = async (here: Place): Promise<Listed["images"]> => (JSON.parse((await warder(here, ["image", "list", "--json"])).stdout) as Listed).images;

describeWithDocker("an image of a policy", () => {
  let here: Place & { remove(): void };
  let registry: Registry;
  beforeAll(async () => {
    here = makePlace();
    registry = await startRegistry("npm");
    writeFileSync(join(here.workspace, "package.json"), '{"name":"app","version":"1.0.0","dependencies":{"greeting":"1.0.0"},"scripts":{"test":"greet"}}');
    writeFileSync(join(here.workspace, "app.js"), 'console.log(require("greeting"));\n');
  });
  afterAll(async () => {
    for (const { name } of await listed(here)) await warder(here, ["image", "remove", name]);
    await registry[Symbol.asyncDispose]();
    here.remove();
  });

  test("is prepared by a person over the listed hosts, and a sealed run builds and tests with what it holds", async () => {
    const command = [
      "--workspace",
      ".",
      "--allow",
      `127.0.0.1:${registry.port}`,
      "--keep",
      "node_modules:/node_modules",
      "--",
      `npm install --no-audit --registry=${registry.url}`,
    ];
    const added = await addAtTerminal(here, "web", command);
    expect(added.screen).toContain("Added web (sha256:");
    expect(added.exitCode).toBe(0);
    expect(registry.reached.length).toBeGreaterThan(0);
    expect(existsSync(join(here.workspace, "node_modules"))).toBe(false);

    const before = registry.reached.length;
    const policy = writePolicy(here, "sealed", "version: 1\nname: sealed\nextends: unattended\nsandbox: { image: web }\n");
    const ran = await warder(here, ["exec", "--policy", policy, "--", "node app.js && npm test"]);
    expect(ran.stderr).toMatch(OPENED);
    expect(ran.stdout.match(/^hello$/gmu)).toHaveLength(2);
    expect(registry.reached).toHaveLength(before);

    const [image] = await listed(here);
    expect(image).toMatchObject({ name: "web", isThere: true });
    const audit = (await warder(here, ["audit", "--json", "--limit", "200"])).stdout;
    const records = audit
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const ofKind = (kind: string) => records.filter((record) => record["kind"] === kind);
    expect(ofKind("image-added")).toMatchObject([{ name: "web", image: image?.image, made: { kind: "command", hosts: [`127.0.0.1:${registry.port}`] } }]);
    expect(ofKind("connection")[0]).toMatchObject({ host: "127.0.0.1", decision: "allow" });
    expect(ofKind("ruling").at(-1)).toMatchObject({ image: image?.image });
  });

  test("holds nothing of what it keeps that the policy forbids", async () => {
    const kept = join(here.workspace, "kept-settings");
    mkdirSync(kept);
    writeFileSync(join(kept, ".env"), "KEY=value\n");
    writeFileSync(join(kept, "colour"), "blue\n");
    const added = await addAtTerminal(here, "settings", ["--workspace", ".", "--keep", "kept-settings:/settings", "--", "echo loud > kept-settings/volume"]);
    expect(added.screen).toContain("Added settings (sha256:");
    // The spinner of each phase, whose time goes on.
    expect(added.screen).toMatch(/(?:Running the command|Building the image).* \d/u);
    expect(added.screen).toMatch(/Looking whether a sandbox can work in it \d/u);
    const policy = writePolicy(here, "set", "version: 1\nname: set\nextends: unattended\nsandbox: { image: settings }\n");
    const { stdout } = await warder(here, ["exec", "--policy", policy, "--", "cd /settings && ls -A && cat colour volume"]);
    expect(stdout).toBe("colour\nvolume\nblue\nloud\n");
  });

  test("is not there for a policy that names another, and nothing runs then", async () => {
    const policy = writePolicy(here, "other", "version: 1\nname: other\nextends: unattended\nsandbox: { image: nobodys }\n");
    expect(await warder(here, ["exec", "--policy", policy, "--", "true"])).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("nobody prepared") });
    const digest = `sha256:${"0".repeat(64)}`;
    const unknown = writePolicy(here, "unknown", `version: 1\nname: unknown\nextends: unattended\nsandbox: { image: "${digest}" }\n`);
    expect(await warder(here, ["exec", "--policy", unknown, "--", "true"])).toMatchObject({ exitCode: 6, stderr: expect.stringContaining("is not there") });
  });

  test("is built from a Dockerfile on Warder's own", async () => {
    const directory = join(here.root, "tools");
    mkdirSync(directory);
    writeFileSync(join(directory, "tool.sh"), "#!/bin/sh\necho from the Dockerfile\n", { mode: 0o755 });
    writeFileSync(join(directory, "Dockerfile"), "ARG WARDER_BASE\nFROM ${WARDER_BASE}\nCOPY tool.sh /usr/local/bin/tool\nRUN mkdir /opt/made\n");
    expect(await addAtTerminal(here, "tools", ["--from", directory])).toMatchObject({ exitCode: 0 });
    const policy = writePolicy(here, "tooled", "version: 1\nname: tooled\nextends: unattended\nsandbox: { image: tools }\n");
    expect((await warder(here, ["exec", "--policy", policy, "--", "tool && ls -d /opt/made"])).stdout).toBe("from the Dockerfile\n/opt/made\n");
  });

  describe("is refused", () => {
    const NOTHING = "FROM scratch\nCOPY Dockerfile /Dockerfile\n";
    test.each([
      ["without bash", NOTHING, "the program /bin/bash"],
      ["with a volume", `${NOTHING}VOLUME /data\n`, "declares volumes (/data)"],
      ["with a health check", `${NOTHING}HEALTHCHECK CMD /bin/true\n`, "declares a health check"],
      ["that cannot be built", `${NOTHING}COPY missing /missing\n`, "could not be built"],
    ])("%s", async (_name, dockerfile, says) => {
      const directory = join(here.root, "bad");
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, "Dockerfile"), dockerfile);
      const { exitCode, screen } = await addAtTerminal(here, "bad", ["--from", directory]);
      expect(screen).toContain(says);
      expect(exitCode).toBe(6);
      expect((await listed(here)).map(({ name }) => name)).not.toContain("bad");
    });

    test.each([
      ["that nobody at a terminal confirms", ["--from", "."], "A person at a terminal"],
      ["under a name that is none", ["--from", "."], "is no name of an image", "../x"],
      ["that keeps nothing", ["--workspace", ".", "--", "true"], "what is to be kept"],
      ["that keeps a path outside the workspace", ["--workspace", ".", "--keep", "../x:/x", "--", "true"], "is no --keep"],
      ["that keeps something as /proc", ["--workspace", ".", "--keep", "x:/proc/x", "--", "true"], "is no --keep"],
      ["with a host that is none", ["--workspace", ".", "--keep", "x:/x", "--allow", "http://a", "--", "true"], "is no host"],
    ])("%s", async (_name, argv, says, name = "fresh") => {
      writeFileSync(join(here.workspace, "Dockerfile"), "FROM scratch\n");
      expect(await warder(here, ["image", "add", name, ...argv])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(says) });
    });

    test("that keeps what a link leads to", async () => {
      const { exitCode, screen } = await addAtTerminal(here, "linked", ["--workspace", ".", "--keep", "kept/shadow:/kept", "--", "ln -s /etc kept"]);
      expect(screen).toMatch(/kept is a link/u);
      expect(exitCode).toBe(6);
    });

    test("whose command fails", async () => {
      const { exitCode, screen } = await addAtTerminal(here, "failing", ["--workspace", ".", "--keep", "x:/x", "--", "echo trying; exit 7"]);
      expect(screen).toMatch(/trying[\s\S]*failed \(7\)/u);
      expect(exitCode).toBe(6);
    });
  });

  test("is removed, from the engine too", async () => {
    const directory = join(here.root, "gone");
    mkdirSync(directory);
    writeFileSync(join(directory, "Dockerfile"), "ARG WARDER_BASE\nFROM ${WARDER_BASE}\nRUN touch /gone\n");
    expect((await addAtTerminal(here, "gone", ["--from", directory])).exitCode).toBe(0);
    const image = (await listed(here)).find(({ name }) => name === "gone")?.image ?? "";
    expect((await warder(here, ["image", "remove", "gone"])).exitCode).toBe(0);
    expect(() => execFileSync("docker", ["image", "inspect", image], { stdio: "ignore" })).toThrow(/Command failed/u);
    const policy = writePolicy(here, "late", "version: 1\nname: late\nextends: unattended\nsandbox: { image: gone }\n");
    expect((await warder(here, ["exec", "--policy", policy, "--", "true"])).exitCode).toBe(6);
  });
});
