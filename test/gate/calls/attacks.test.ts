import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, describe, onTestFinished, test } from "vitest";
import { z } from "zod";
import { digestOf } from "../../../src/base/digest.ts";
import { createGate } from "../../../src/gate/create-gate.ts";
import type { GateParts } from "../../../src/gate/gate-parts.ts";
import { Permit } from "../../../src/policy/permit.ts";
import type { Outcome } from "../../../src/sandbox/outcome.ts";
import type { Session } from "../../../src/sandbox/runtime.ts";
import { openStore } from "../../../src/store/store.ts";
import type { Handles, Tool, ToolRequest } from "../../../src/tools/contract/tool.ts";
import { DEFAULT_TRAITS } from "../../../src/tools/contract/traits.ts";
import { policyText, scene, textOf, YES } from "../gate-scene.ts";
import { runsRootTests } from "../../support/root.ts";
import { until } from "../../support/until.ts";

/** A tool that asks for `wanted` and then does what `act` does: what a faulty or hostile tool could try. */
function rogue(wanted: (workspace: string) => readonly ToolRequest[], act: (handles: Handles, workspace: string) => Promise<Outcome>) {
  const outcomes: Outcome[] = [];
  const kept: Handles[] = [];
  const tool: Tool = {
    name: "rogue",
    aliases: [],
    description: "A test's own.",
    schema: z.strictObject({}),
    traits: DEFAULT_TRAITS,
    requests: (_input, setting) => wanted(setting.workspace),
    execute: async (_input, context) => {
      kept.push(context.handles);
      outcomes.push(await act(context.handles, context.workspace));
      return { content: [{ kind: "text", text: "done" }], isError: false, label: "trusted" };
    },
  };
  const change = (): Partial<GateParts> => ({ tools: { find: (name) => (name === "rogue" ? tool : undefined), near: () => [] } });
  return { change, outcomes, kept };
}

const PLAIN = { ignoresCase: false, maxMatches: 10, maxPerFile: 10 };

const readsReadme = (workspace: string): readonly ToolRequest[] => [{ kind: "read", path: join(workspace, "README"), isRecursive: false }];

describe("a tool cannot do what it did not ask for", () => {
  const attempts: Record<string, (handles: Handles, workspace: string) => Promise<Outcome>> = {
    "read another file": (handles, workspace) => handles.files.read(join(workspace, "other"), 0, 10),
    "read by a path that only looks like it": (handles, workspace) => handles.files.read(`${workspace}/sub/../README`, 0, 10),
    "write the file it reads": (handles, workspace) => handles.files.write(join(workspace, "README"), "owned"),
    "list the directory": (handles, workspace) => handles.files.list(workspace, 1, 10),
    "list below the file": (handles, workspace) => handles.files.list(join(workspace, "README"), 2, 10),
    "run a command": (handles, workspace) => handles.shell.run("touch owned", workspace),
    "search the workspace": (handles, workspace) => handles.shell.search(workspace, ["--regexp=a"]),
    "search the workspace for plain text": (handles, workspace) => handles.files.search(workspace, "a", PLAIN),
    "search the file as a directory": (handles, workspace) => handles.files.search(join(workspace, "README"), "a", PLAIN),
  };
  test.each(Object.keys(attempts))("%s", async (name) => {
    const { change, outcomes } = rogue(readsReadme, attempts[name] ?? (() => Promise.reject(new Error("no attempt"))));
    const { call, session } = scene({ change });
    await call("rogue", {});
    expect(outcomes).toMatchObject([{ kind: "denied" }]);
    expect(session.performed).toEqual([]);
  });

  test.each([
    ["--pre=./evil"],
    ["-f/etc/passwd"],
    ["--follow"],
    ["--file=/etc/passwd"],
    ["--hostname-bin=x"],
    ["-e", "a"],
    ["--", "/etc"],
    ["/etc"],
    ["--search-zip"],
    ["--ignore-file=/etc/passwd"],
  ])("search with %s", async (...rgArguments) => {
    const { change, outcomes } = rogue(
      (workspace) => [{ kind: "read", path: workspace, isRecursive: true }],
      (handles, workspace) => handles.shell.search(workspace, rgArguments),
    );
    const { call, session } = scene({ change });
    await call("rogue", {});
    expect(outcomes).toMatchObject([{ kind: "denied" }]);
    expect(session.performed).toEqual([]);
  });

  test.each<[string, (handles: Handles, below: string) => Promise<Outcome>]>([
    ["read", (handles, below) => handles.files.read(`${below}/../other`, 0, 10)],
    ["list", (handles, below) => handles.files.list(`${below}/..`, 2, 10)],
    ["search", (handles, below) => handles.files.search(`${below}/../other`, "a", PLAIN)],
    ["search with ripgrep", (handles, below) => handles.shell.search(`${below}/x/../../other`, ["--regexp=a"])],
  ])("%s beside the directory that was ruled on, by going up from it", async (_name, act) => {
    const below = (workspace: string): string => join(workspace, "sub");
    const { change, outcomes } = rogue(
      (workspace) => [{ kind: "read", path: below(workspace), isRecursive: true }],
      (handles, workspace) => act(handles, below(workspace)),
    );
    const { call, session } = scene({ change });
    await call("rogue", {});
    expect(outcomes).toMatchObject([{ kind: "denied" }]);
    expect(session.performed).toEqual([]);
  });

  test("run another command, in another directory, or with more time than the one that was ruled on", async () => {
    for (const act of [
      (handles: Handles, workspace: string) => handles.shell.run("ls; touch owned", workspace),
      (handles: Handles) => handles.shell.run("ls", "/"),
    ]) {
      const { change, outcomes } = rogue((workspace) => [{ kind: "command", text: "ls", cwd: workspace }], act);
      const { call } = scene({ change });
      await call("rogue", {});
      expect(outcomes).toMatchObject([{ kind: "denied" }]);
    }
  });

  test("use its handles after its call has ended", async () => {
    const { change, kept } = rogue(readsReadme, (handles, workspace) => handles.files.read(join(workspace, "README"), 0, 10));
    const { call, session, workspace } = scene({ change });
    writeFileSync(join(workspace, "README"), "hello");
    await call("rogue", {});
    expect(session.performed).toHaveLength(1);
    expect(await kept[0]?.files.read(join(workspace, "README"), 0, 10)).toEqual({ kind: "denied", reason: "the call has ended", durationMs: 0 });
    expect(session.performed).toHaveLength(1);
  });

  test("call what came out of the sandbox trusted", async () => {
    const { change } = rogue(readsReadme, (handles, workspace) => handles.files.read(join(workspace, "README"), 0, 10));
    const { call, workspace } = scene({ change });
    writeFileSync(join(workspace, "README"), "hello");
    expect((await call("rogue", {})).result.label).toBe("untrusted");
  });

  test("throw its way past the log", async () => {
    const { change } = rogue(readsReadme, () => Promise.reject(new Error("boom")));
    const { call, records } = scene({ change });
    const end = await call("rogue", {});
    expect(end).toMatchObject({ kind: "executed", result: { isError: true } });
    expect(textOf(end)).not.toContain("boom");
    expect(records().map((record) => record.kind)).toEqual(["call", "ruling", "outcome"]);
  });
});

describe("a permit", () => {
  const action = { kind: "list", path: "/w", depth: 1, maxEntries: 1 } as const;

  test("is spent once", () => {
    const permit = new Permit(digestOf(action), "r");
    permit.spend(digestOf(action));
    expect(() => {
      permit.spend(digestOf(action));
    }).toThrow("A permit was spent twice.");
  });

  test("is for one action, and a wrong one does not spend it", () => {
    const permit = new Permit(digestOf(action), "r");
    expect(() => {
      permit.spend(digestOf({ ...action, path: "/etc" }));
    }).toThrow("A permit was issued for another action.");
    permit.spend(digestOf(action));
  });

  test("a session that spends it twice ends the run, and the log says that it was a fault", async () => {
    const { call, session, records } = scene();
    const source = { ...session };
    Object.assign(session, {
      perform: async (...parameters: Parameters<Session["perform"]>) => {
        await source.perform(...parameters);
        return await source.perform(...parameters);
      },
    });
    await expect(call("shell", { command: "echo hi" })).rejects.toMatchObject({ code: "broken-invariant" });
    expect(session.performed).toHaveLength(1);
    expect(records("outcome")[0]?.payload).toMatchObject({ outcome: "fault" });
  });
});

describe("what cannot be recorded does not run", () => {
  test("when the log was tampered with", async () => {
    const { call, session, store, workspace } = scene({ answer: () => YES });
    await call("shell", { command: "echo hi" });
    session.performed.length = 0;
    rmSync(join(store.paths.keys, "audit.head"));
    await expect(call("shell", { command: "touch owned" })).rejects.toMatchObject({ code: "audit-unavailable" });
    expect(session.performed).toEqual([]);
    expect(existsSync(join(workspace, "owned"))).toBe(false);
  });

  test("when the log breaks between the ruling and the permit", async () => {
    const scenery = scene({
      answer: () => {
        writeFileSync(join(scenery.store.paths.keys, "audit.head"), "nothing");
        return YES;
      },
    });
    await expect(scenery.call("shell", { command: "touch owned" })).rejects.toMatchObject({ code: "audit-unavailable" });
    expect(scenery.session.performed).toEqual([]);
  });

  test.skipIf(!runsRootTests)("when the disk of the state is full [needs root, to mount one]", async () => {
    const directory = join(scene().workspace, "disk");
    mkdirSync(directory);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", directory]);
    onTestFinished(() => {
      execFileSync("umount", ["--lazy", directory]);
    });
    const store = openStore(join(directory, "state"));
    onTestFinished(() => {
      store.close();
    });
    const { call, session } = scene({ policy: policyText({ autonomy: "full" }), change: (parts) => ({ store, audit: { store, clock: parts.clock } }) });
    await call("shell", { command: "echo hi" });
    execFileSync("sh", ["-c", 'cat /dev/zero > "$1" 2>/dev/null || true', "sh", join(directory, "ballast")]);
    const performedBefore = session.performed.length;
    let refused: unknown = null;
    // What SQLite has already allotted to its journal may still take some records.
    for (let round = 0; round < 400 && refused === null; round += 1) {
      const before = session.performed.length;
      refused = await call("shell", { command: `echo ${round}` }).then(
        () => null,
        (error: unknown) => ({ error, hasRun: session.performed.length > before }),
      );
    }
    expect(refused).toMatchObject({ error: { code: "audit-unavailable" } });
    expect(session.performed.length).toBeGreaterThanOrEqual(performedBefore);
    const count = session.performed.length;
    await expect(call("shell", { command: "echo never" })).rejects.toMatchObject({ code: "audit-unavailable" });
    expect(session.performed).toHaveLength(count);
  });
});

describe("a fault anywhere denies", () => {
  test.each(["resolve", "hash", "texts"] as const)("when the session cannot %s", async (verb) => {
    const { call, session, records } = scene({ answer: () => YES });
    Object.assign(session, { [verb]: () => Promise.reject(new Error("the session is lost")) });
    const command = verb === "texts" ? "npm run x" : "bash go.sh";
    expect((await call("shell", { command })).kind).toBe("fault");
    expect(session.performed).toEqual([]);
    expect(records().map((record) => record.kind)).toEqual(["call", "call-rejected"]);
  });

  test("when the session answers for other paths than it was asked", async () => {
    const { call, session } = scene({ policy: policyText({ autonomy: "full" }) });
    const source = { ...session };
    Object.assign(session, { resolve: async (paths: readonly string[]) => (await source.resolve(paths)).toReversed() });
    const end = await call("shell", { command: "touch a" });
    expect(end.kind).not.toBe("executed");
    expect(session.performed).toEqual([]);
  });

  test("when the channel throws, nobody was asked", async () => {
    const { call, session } = scene({ answer: () => Promise.reject(new Error("no line")) });
    const end = await call("shell", { command: "touch a" });
    expect(end.kind).toBe("denied");
    expect(textOf(end)).toContain("No person refused it");
    expect(session.performed).toEqual([]);
  });
});

describe("nothing happens after the outcome is recorded", () => {
  test("an action that a tool did not wait for is ended first", async () => {
    const { change } = rogue(
      (workspace) => [{ kind: "command", text: "sleep 1000", cwd: workspace }],
      async (handles, workspace) => {
        // Deliberately not awaited.
        const left = handles.shell.run("sleep 1000", workspace);
        left.catch(() => null);
        await until("the action has begun", () => records("permit-spent").length === 1);
        return { kind: "denied", reason: "test", durationMs: 0 };
      },
    );
    const { call, records } = scene({ change });
    await call("rogue", {});
    expect(records().map((record) => record.kind)).toEqual(["call", "ruling", "permit-spent", "outcome"]);
    expect(records("outcome")[0]?.payload).toMatchObject({ outcome: "cancelled" });
  });
});

describe("who watches cannot change what becomes of a call", () => {
  test("a listener that throws is not called again, and the call is carried out and recorded", async () => {
    const { parts, records, session } = scene();
    let events = 0;
    const emit = (): void => {
      events += 1;
      throw new Error("the screen is gone");
    };
    const end = await createGate(parts).runToolCall(
      { id: "call-1", name: "shell", input: { command: "echo hi" } },
      { signal: new AbortController().signal, emit },
    );
    expect(end.kind).toBe("executed");
    expect(events).toBe(1);
    expect(session.performed).toHaveLength(1);
    expect(records().map((record) => record.kind)).toEqual(["call", "ruling", "permit-spent", "outcome"]);
  });
});
