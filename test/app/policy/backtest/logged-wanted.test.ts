import { describe, expect, test } from "vitest";
import { wantedIn } from "../../../../src/app/policy/backtest/logged-wanted.ts";
import type { LoggedCall } from "../../../../src/app/policy/backtest/logged-calls.ts";

/** What a call of a run that worked in /w/app asks for, when it is compared in /tmp/x. */
function wanted(tool: string, input: unknown, workspace = "/w/app"): unknown {
  const call: LoggedCall = { atMs: 0, run: "run-1", tool, input, verdict: "allow", answer: null, workspace, containment: "profile", labels: [] };
  return wantedIn({ workspace: "/tmp/x", home: "/home/ann" })(call)?.wanted[0];
}

describe("a logged call that is asked for elsewhere", () => {
  test.each([
    ["in the workspace", "src/a.ts", "/tmp/x/src/a.ts"],
    ["the workspace itself", "/w/app", "/tmp/x"],
    ["beside the workspace, with its name at the beginning", "/w/app-two/a.ts", "/w/app-two/a.ts"],
    ["elsewhere, with the workspace's name in it", "/srv/w/app/a.ts", "/srv/w/app/a.ts"],
  ])("reads what lies %s at its place", (_where, path, place) => {
    expect(wanted("read_file", { path })).toMatchObject({ kind: "read", path: place });
  });

  test("and with the whole machine for a workspace", () => {
    expect(wanted("read_file", { path: "etc/hosts" }, "/")).toMatchObject({ kind: "read", path: "/tmp/x/etc/hosts" });
  });

  test.each([
    ["cp /w/app/a /w/app-two/a", "cp /tmp/x/a /w/app-two/a"],
    ["cd /w/app && ls '/w/app' \"/w/app/b\";ls /w/app", "cd /tmp/x && ls '/tmp/x' \"/tmp/x/b\";ls /tmp/x"],
    ["cc -I/w/app/h -o /w/app/o --out=/w/app,/w/app", "cc -I/tmp/x/h -o /tmp/x/o --out=/tmp/x,/tmp/x"],
    ["curl file:///w/app/a", "curl file:///tmp/x/a"],
    ["cat /srv/w/app/a ./w/app/a -/w/app.old/a", "cat /srv/w/app/a ./w/app/a -/w/app.old/a"],
    ["ls /w/app* /w/app2 /w/app\\ two /w/app$n /w/apples", "ls /w/app* /w/app2 /w/app\\ two /w/app$n /w/apples"],
  ])("runs `%s` there", (command, there) => {
    expect(wanted("bash", { command })).toEqual({ kind: "command", text: there });
  });
});
