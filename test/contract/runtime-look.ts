import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Outcome } from "../../src/sandbox/outcome.ts";
import type { Session } from "../../src/sandbox/runtime.ts";
import { until } from "../support/until.ts";
import { mountsBelow, type RuntimeUnderTest } from "./runtime.ts";
import { IS_ELSEWHERE, makeFixture, profileOf, run, type SandboxFixture } from "./sandbox-fixture.ts";

const SECRET = "a-value-that-nobody-may-see";
/** How many processes of that name there are. */
const LEFT = "for p in /proc/[0-9]*; do cat $p/comm; done 2>/dev/null | grep -c '^sleep$'; true";
const { signal } = new AbortController();

/** How every runtime runs a command that looks at a run. */
export function lookContract(under: RuntimeUnderTest): void {
  describe("a command that looks at a run", () => {
    let fixture: SandboxFixture;
    let session: Session;
    const look = (script: string, timeoutMs = 60_000, input = ""): Promise<Outcome> => session.look({ argv: ["sh", "-c", script], input, timeoutMs }, signal);
    const said = async (script: string, input = ""): Promise<string> => {
      const outcome = await look(script, 60_000, input);
      if (outcome.kind !== "completed" || outcome.result.kind !== "exec") throw new Error(`It did not complete: ${JSON.stringify(outcome)}`);
      return `${String(outcome.result.exitCode)} ${outcome.result.stdout.text}`;
    };
    beforeAll(async () => {
      fixture = makeFixture({ "a.txt": "alpha\n", "secrets/key": "hidden\n", "policies/p.yaml": "protected\n" });
      const profile = profileOf(fixture, { env: { TOKEN: SECRET }, settings: { env: ["TOKEN"], network: { allow: IS_ELSEWHERE ? [] : ["example.org"] } } });
      session = await under.make().open(profile, { runId: fixture.runId, runDirectory: fixture.runDirectory });
    });
    afterAll(async () => {
      await session.close();
      expect(under.leftovers(fixture.runId)).toEqual([]);
      expect(mountsBelow(fixture.folder)).toEqual([]);
      fixture.remove();
    });

    test("reads its input, and sees what the run made of the workspace", async () => {
      await run(session, "echo beta > b.txt");
      expect(await said(`cat; cat ${fixture.workspace}/b.txt`, "in\n")).toBe("0 in\nbeta\n");
    });

    test.each([
      ["a new file", "touch W/new"],
      ["a file of the run", "echo x >> W/a.txt"],
      ["a file's name", "mv W/a.txt W/c.txt"],
      ["a file's mode", "chmod 777 W/a.txt"],
      ["a protected file", "echo x > W/policies/p.yaml"],
    ])("changes nothing of the workspace: %s", async (_what, script) => {
      expect(await said(`${script.replaceAll("W", fixture.workspace)} 2>/dev/null`)).toMatch(/^[^0]/u);
      expect((await run(session, "cat a.txt; ls")).out).toMatch(/^alpha\na\.txt\n/u);
    });

    test("sees nothing of what policy forbids, of the run's variables and of its scratch", async () => {
      await run(session, "touch /tmp/of-the-run");
      expect(await said(`cat ${fixture.workspace}/secrets/key 2>/dev/null; ls /tmp; echo "[$TOKEN]"`)).toBe("0 []\n");
    });

    test("has no way out, though the run has one", async () => {
      expect(await said('echo "[$HTTPS_PROXY$https_proxy]"; ls /.warder 2>/dev/null; cut -d: -f1 /proc/net/dev | tail -n +3 | tr -d " \\n"')).toMatch(
        /^0 \[\]\n(?:(?:programs|supervisor)\n)?lo/u,
      );
    });

    test("shows no value of the run's variables, whoever told it", async () => {
      expect(await said("cat; cat /proc/self/cmdline >&2", SECRET)).not.toContain(SECRET);
    });

    test("does not read its settings in the workspace", async () => {
      expect(await said("pwd")).toBe("0 /\n");
    });

    test("is ended when it writes too much, and when it takes too long, with all that it started", async () => {
      expect(await look("yes")).toMatchObject({ kind: "output-limit" });
      expect(await look("yes >&2")).toMatchObject({ kind: "output-limit" });
      expect(await look("trap '' TERM; (setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' &) ; while :; do sleep 1; done", 300)).toMatchObject({
        kind: "timed-out",
      });
      expect(await said(LEFT)).toBe("0 0\n");
    });

    test("leaves nothing running behind", async () => {
      await said("setsid sleep 600 >/dev/null 2>&1 &");
      expect(await said(LEFT)).toBe("0 0\n");
    });

    test("may stop reading early", async () => {
      expect(await said("exec 0<&-; echo done", "x".repeat(4 * 1024 * 1024))).toBe("0 done\n");
    });

    test("is told when its program is not there", async () => {
      expect(await session.look({ argv: ["/no/such/program"], input: "", timeoutMs: 1000 }, signal)).toMatchObject({ kind: "failed", code: "not-found" });
      expect(await session.lacks(["sh", "/bin/sh"])).toBeNull();
      expect(await session.lacks(["sh", "no-such-program"])).toBe("no-such-program");
    });

    test("is cancelled with the run", async () => {
      const stop = new AbortController();
      const looking = session.look({ argv: ["sleep", "600"], input: "", timeoutMs: 600_000 }, stop.signal);
      stop.abort();
      expect(await looking).toMatchObject({ kind: "cancelled" });
    });

    test("cannot end the sandbox that it runs in, and one that is lost is opened anew", async () => {
      expect(await said("kill -9 1; kill -9 -1; echo here")).toMatch(/^(?:null |0 here)/u);
      await until("commands that look are run again", async () => (await said("echo again").catch(() => "")) === "0 again\n");
      expect((await run(session, "echo fine")).out).toBe("fine\n");
    });
  });
}
