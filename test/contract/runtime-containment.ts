import { spawn } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Session } from "../../src/sandbox/runtime.ts";
import { openChanges } from "../../src/landing/review/review.ts";
import { makeCertificate } from "../support/certificate.ts";
import { once, until } from "../support/until.ts";
import { landChanges } from "./landed-changes.ts";
import { mountsBelow, type RuntimeUnderTest } from "./runtime.ts";
import { IS_ELSEWHERE, IS_GVISOR, makeFixture, OWN_UID, OWNERS, type ProfileChanges, profileOf, run, type SandboxFixture } from "./sandbox-fixture.ts";

const SECRET = "the-secret-of-this-test";
const FILES = {
  "a.txt": "alpha\n",
  ".env": SECRET,
  "deep/er/.env": SECRET,
  "secrets/key": SECRET,
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n",
  ".git/hooks/sample": "sample\n",
  "policies/own.yaml": "version: 1\n",
  "trusted.yaml": "version: 1\n",
};

/** Files that patterns of keys name. What is public of them is told by its content alone. */
function keysIn(fixture: SandboxFixture, isBound: boolean): { readonly cert: string; readonly key: string } {
  const { cert, key } = makeCertificate("example.org");
  const files = {
    "certs/ca.pem": cert,
    "certs/old.pem": cert,
    "certs/two.key": cert + cert,
    "certs/server.pem": cert + key,
    "certs/only.key": key,
    "certs/commented.pem": cert + key.replaceAll(/^/gmu, "# "),
    "certs/huge.pem": cert + "\n".repeat(1024 ** 2),
    "mine/own.pem": cert,
    "certs/notes.txt": key,
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(`${fixture.workspace}/${path.split("/")[0] ?? ""}`, { recursive: true });
    writeFileSync(`${fixture.workspace}/${path}`, content);
  }
  linkSync(`${fixture.workspace}/certs/ca.pem`, `${fixture.workspace}/certs/linked.pem`);
  // In a bound workspace a link of such a name counts as left by the first command.
  if (!isBound) symlinkSync("ca.pem", `${fixture.workspace}/certs/symlink.pem`);
  if (!isBound) symlinkSync("only.key", `${fixture.workspace}/certs/to-key.pem`);
  return { cert, key };
}

/** Certificates are no keys, whatever their names; on every runtime and in both kinds of workspace. */
export function keysContract(under: RuntimeUnderTest): void {
  for (const workspace of IS_ELSEWHERE ? (["transactional"] as const) : (["transactional", "bind"] as const)) {
    test(`shows what holds nothing but certificates as it was measured, and no key, in a ${workspace} workspace`, async () => {
      const fixture = makeFixture(FILES, OWN_UID);
      const { cert, key } = keysIn(fixture, workspace === "bind");
      const at = (path: string): string => `${fixture.workspace}/${path}`;
      const keys = [at("**/*.pem"), at("**/*.key")];
      const profile = profileOf(fixture, { forbidden: [at("**/.env"), at("mine/**")], keys, settings: { workspace } });
      const session = await under.make().open(profile, { runId: fixture.runId, runDirectory: fixture.runDirectory });
      try {
        const shown = ["certs/ca.pem", "certs/linked.pem", "certs/old.pem", "certs/two.key"];
        expect([...session.publicOnly].toSorted()).toEqual(shown.map(at));
        const links = workspace === "bind" ? "certs/ca.pem" : "certs/symlink.pem";
        expect((await run(session, `cat certs/ca.pem certs/linked.pem ${links} certs/two.key`)).out).toBe(cert.repeat(5));
        // A layer of the run's own may hold another one.
        expect([...session.publicHeld].toSorted()).toEqual(workspace === "bind" ? shown.map(at) : []);
        const replaced = await run(session, "echo mine > certs/old.pem; cat certs/old.pem; rm certs/old.pem; ls certs/old.pem");
        expect(replaced.out).toBe(workspace === "bind" ? `${cert}certs/old.pem\n` : "mine\n");
        // From now on it is another file on the host.
        writeFileSync(at("certs/ca.pem"), cert + key);
        expect((await run(session, `cat certs/ca.pem certs/linked.pem ${links}`)).out).toBe(cert.repeat(3));
        const { out, err } = await run(
          session,
          "cat certs/server.pem certs/only.key certs/commented.pem certs/huge.pem certs/to-key.pem mine/own.pem certs/notes.txt; grep -r PRIVATE .",
        );
        expect(out).toBe("");
        expect(err.match(/Permission denied|No such file/gu)?.length).toBeGreaterThanOrEqual(7);
        expect(session.privateKeys).toContain(at("certs/notes.txt"));
      } finally {
        await session.close();
        expect(under.leftovers(fixture.runId)).toEqual([]);
        expect(mountsBelow(fixture.folder)).toEqual([]);
        fixture.remove();
      }
    });
  }
}

/** What a command must not reach, on every runtime and in both kinds of workspace, whoever owns it. */
export function containmentContract(under: RuntimeUnderTest): void {
  for (const workspace of IS_ELSEWHERE ? (["transactional"] as const) : (["transactional", "bind"] as const)) {
    // Where root does not mount the overlay, what is written to a protected path stays in it and does not land.
    const isHeld = workspace === "bind" || (OWN_UID === 0 && !IS_ELSEWHERE);
    for (const uid of OWNERS) {
      describe(`contains a command in a ${workspace} workspace of user ${String(uid)}`, () => {
        let fixture: SandboxFixture;
        let session: Session;
        let open: () => Promise<Session>;
        beforeAll(async () => {
          fixture = makeFixture(FILES, uid);
          mkdirSync(`${fixture.folder}/reference`);
          writeFileSync(`${fixture.folder}/reference/doc.txt`, "doc\n");
          writeFileSync(`${fixture.folder}/reference/.env`, SECRET);
          const roots = [
            { path: fixture.workspace, access: "read-write" as const },
            { path: `${fixture.folder}/reference`, access: "read" as const },
          ];
          const forbidden = [`${fixture.folder}/**/.env`, `${fixture.folder}/**/secrets/**`];
          const profile = profileOf(fixture, { roots, forbidden, ownPaths: [fixture.state, `${fixture.workspace}/trusted.yaml`], settings: { workspace } });
          open = () => under.make().open(profile, { runId: fixture.runId, runDirectory: fixture.runDirectory });
          session = await open();
        });
        afterAll(async () => {
          await session.close();
          expect(under.leftovers(fixture.runId)).toEqual([]);
          expect(mountsBelow(fixture.folder)).toEqual([]);
          fixture.remove();
        });

        test("runs as an unprivileged user without capabilities, who can gain none", async () => {
          const { out } = await run(session, "id -u; grep -E '^(CapEff|CapPrm|CapInh|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status | tr -s '\\t\\n' ' '");
          const [id, status] = out.split("\n");
          expect(Number(id)).toBeGreaterThan(0);
          const none = "0000000000000000";
          // gVisor tells of neither of the last two, nor of ambient capabilities.
          const told = `CapInh: ${none} CapPrm: ${none} CapEff: ${none} ${IS_GVISOR ? "Seccomp: 0" : `CapAmb: ${none} NoNewPrivs: 1 Seccomp: 2`}`;
          expect(status?.trim()).toBe(told);
        });

        test("works in the workspace", async () => {
          expect((await run(session, "cat a.txt; echo more >> a.txt; cat a.txt; mkdir -p x/y; echo z > x/y/z; mv x w; cat w/y/z; rm -r w")).out).toBe(
            "alpha\nalpha\nmore\nz\n",
          );
        });

        test.each([
          ["by its name", "cat .env deep/er/.env secrets/key"],
          ["by a hard link", "ln .env e; cat e; ln deep/er/.env deep/er/e; cat deep/er/e"],
          ["by a symbolic link", "ln -s .env s; cat s"],
          ["after renaming it", "mv .env e; cat e; mv deep d; cat d/er/.env; mv deep/er deep/x; cat deep/x/.env; mv secrets s2; cat s2/key"],
          ["through /proc", "cat /proc/1/root$PWD/.env /proc/self/root$PWD/.env /proc/self/cwd/.env"],
          ["by changing its mode or unmounting it", "chmod 777 .env secrets; umount .env; cat .env; ls secrets; cat secrets/key"],
          ["in a read-only root", "cat ../reference/.env"],
          ["in a user namespace", "unshare -rm sh -c 'umount .env; cat .env'"],
        ])("does not show a forbidden file %s", async (_name, text) => {
          const { out, err } = await run(session, `{ ${text}; } 2>&1; grep -rs ${SECRET.slice(0, 10)} . || true`);
          expect(out + err).not.toContain(SECRET);
        });

        test("does not let a repository's hooks be replaced", async () => {
          const { out } = await run(
            session,
            "mv .git g && echo moved; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit && echo written; rm -rf .git/hooks && echo removed; echo x >> .git/config && echo appended; mv .git/config c && echo taken; true",
          );
          expect(out).toBe(isHeld ? "" : "moved\nwritten\nremoved\nappended\ntaken\n");
          expect(readFileSync(`${fixture.workspace}/.git/config`, "utf8")).toBe("[core]\n");
          const landed = isHeld ? [] : (await landChanges({ session, runDirectory: fixture.runDirectory })).applied;
          if (!isHeld) session = await open();
          expect(landed.filter(({ path }) => path.startsWith(".git"))).toEqual([]);
          expect(readFileSync(`${fixture.workspace}/.git/hooks/sample`, "utf8")).toBe("sample\n");
        });

        test("holds what is protected and what is only read", async () => {
          const { out } = await run(
            session,
            "cat policies/own.yaml ../reference/doc.txt; echo x > policies/own.yaml && echo wrote; mv policies p && echo moved; echo x > ../reference/doc.txt && echo wrote; touch ../reference/new && echo made; cat trusted.yaml; echo x > trusted.yaml && echo wrote; rm -f trusted.yaml && echo removed; true",
          );
          expect(out).toBe(isHeld ? "version: 1\ndoc\nversion: 1\n" : "version: 1\ndoc\nwrote\nmoved\nversion: 1\nwrote\nremoved\n");
          for (const path of ["policies/own.yaml", "trusted.yaml"]) expect(readFileSync(`${fixture.workspace}/${path}`, "utf8")).toBe("version: 1\n");
        });

        test("has a read-only system, an empty home and nothing of the host", async () => {
          const text =
            "touch /etc/x /usr/x /x 2>/dev/null && echo wrote; ls -A $HOME; touch $HOME/x /tmp/x && echo scratch; ls /var/run/docker.sock /run/docker.sock 2>/dev/null; cat /etc/shadow 2>/dev/null; true";
          expect((await run(session, text)).out).toBe("scratch\n");
        });

        test("reaches no network", async () => {
          const server = createServer((socket) => socket.end("reached"));
          server.listen(0, "127.0.0.1");
          await once(server, "listening");
          const address = server.address();
          if (address === null || typeof address === "string") throw new Error("no port");
          try {
            const { out } = await run(
              session,
              `exec 2>/dev/null; (exec 3<>/dev/tcp/127.0.0.1/${String(address.port)} && cat <&3); (exec 3<>/dev/tcp/172.17.0.1/${String(address.port)}); ls /sys/class/net 2>/dev/null | grep -v '^lo$'; grep -c : /proc/net/dev; true`,
            );
            expect(out.trim()).toBe("1");
          } finally {
            server.close();
          }
        });
      });
    }
  }

  describe("refuses what no mount can make safe", () => {
    test.each<[string, (fixture: SandboxFixture) => ProfileChanges, RegExp]>([
      ["a forbidden file with another name", ({ workspace }) => (linkSync(`${workspace}/.env`, `${workspace}/alias`), {}), /alias/],
      ["a forbidden file in a masked folder with another name", ({ workspace }) => (linkSync(`${workspace}/secrets/key`, `${workspace}/alias`), {}), /alias/],
      [
        "a forbidden link to a file that no pattern names",
        ({ workspace }) => {
          rmSync(`${workspace}/.env`);
          symlinkSync("a.txt", `${workspace}/.env`);
          return {};
        },
        /is a link to/,
      ],
      ["a repository that is a link", ({ workspace }) => (symlinkSync(".git", `${workspace}/deep/.git`), {}), /is a link/],
      ["the root /", () => ({ roots: [{ path: "/", access: "read" }] }), /root \//],
      ["the root /etc", () => ({ roots: [{ path: "/etc", access: "read-write" }] }), /\/etc/],
      ["Warder's own state", ({ folder }) => ({ roots: [{ path: folder, access: "read-write" }] }), /own/],
      ["the home as a writable root", ({ workspace }) => ({ home: `${workspace}/home` }), /home/],
      [
        "a root that is reached through a link",
        ({ folder, workspace }) => {
          symlinkSync(workspace, `${folder}/link`);
          return { roots: [{ path: `${folder}/link`, access: "read-write" }] };
        },
        /link/,
      ],
    ])("%s", async (_name, arrange, message) => {
      const fixture = makeFixture(FILES);
      try {
        const opening = under.make().open(profileOf(fixture, arrange(fixture)), { runId: fixture.runId, runDirectory: fixture.runDirectory });
        await expect(opening).rejects.toMatchObject({ code: "bad-configuration", message: expect.stringMatching(message) });
        expect(under.leftovers(fixture.runId)).toEqual([]);
        expect(mountsBelow(fixture.folder)).toEqual([]);
      } finally {
        fixture.remove();
      }
    });

    test("a visible unix socket", async () => {
      const fixture = makeFixture(FILES);
      const server = createServer();
      server.listen(`${fixture.workspace}/s.sock`);
      await once(server, "listening");
      try {
        await expect(under.make().open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory })).rejects.toThrow(/s\.sock/);
      } finally {
        server.close();
        fixture.remove();
      }
    });
  });

  test("leaves nothing when its owner is killed in the middle of a command", async () => {
    const fixture = makeFixture(FILES);
    const script = fileURLToPath(new URL("sandbox-owner.ts", import.meta.url));
    const child = spawn(process.execPath, [script, under.make().name, JSON.stringify({ fixture })], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    expect(line.toString()).toBe("running\n");
    expect(under.leftovers(fixture.runId).length).toBeGreaterThan(0);
    child.kill("SIGKILL");
    await once(child, "exit");
    await until("nothing of it runs", () => under.running(fixture.runId).length === 0);
    await until("nothing of it is mounted", () => mountsBelow(fixture.folder).length === 0);
    expect((await under.make().reap(fixture.state)).join("\n")).toContain(fixture.runId);
    expect(under.leftovers(fixture.runId)).toEqual([]);
    expect((await under.make().reap(fixture.state)).join("\n")).not.toContain(fixture.runId);
    const review = await openChanges(fixture.runDirectory);
    expect(review?.list().map((change) => change.path)).toEqual(["made"]);
    await review?.discard();
    expect(mountsBelow(fixture.folder)).toEqual([]);
    fixture.remove();
  });
}
