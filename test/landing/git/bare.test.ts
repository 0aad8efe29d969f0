import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { type OverlaidWorkspace, overlayWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const anything = { mayWrite: (): null => null };
const CONFIG = "[core]\\n\\trepositoryformatversion = 0\\n\\tbare = true\\n[alias]\\n\\tx = !touch ran\\n";
const HEAD = "ref: refs/heads/main";

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

/** Whether git on the host obeys a configuration that it finds when somebody stands in a directory of the workspace. */
function isObeyed(directory: string): boolean {
  execFileSync("sh", ["-c", "git x 2>/dev/null || true"], { cwd: `${here.workspace}/${directory}`, env: ENV });
  return execFileSync("find", [here.workspace, "-name", "ran"], { encoding: "utf8" }) !== "";
}

async function land(script: string): Promise<Readonly<Record<string, string>>> {
  execFileSync("sh", ["-ec", script], { cwd: here.view });
  const review = await here.review();
  const report = await review.apply(anything);
  await review.close();
  return Object.fromEntries(report.refused.map(({ change, reason }) => [`${change.kind} ${change.path}`, reason]));
}

describe.runIf(runsRootTests)("a directory that git would take for a repository", () => {
  test("gets no configuration that lies in another directory, which it names as common to several", async () => {
    here = await overlayWorkspace({ "a.txt": "a" });
    const refused = await land(
      `mkdir -p bare common/objects common/refs; echo "${HEAD}" > bare/HEAD; echo ../common > bare/commondir; printf '${CONFIG}' > common/config`,
    );
    expect(Object.keys(refused)).toEqual(["added bare/commondir"]);
    expect(isObeyed("bare")).toBe(false);
    expect(existsSync(`${here.workspace}/common/config`)).toBe(true);
  });

  test("is not completed around a configuration that landed before", async () => {
    here = await overlayWorkspace({ "x/config": CONFIG.replaceAll("\\n", "\n").replaceAll("\\t", "\t"), "x/refs/.keep": "" });
    const refused = await land(`mkdir x/objects; echo "${HEAD}" > x/HEAD; echo b > x/b.txt`);
    expect(Object.keys(refused)).toEqual(["added x/HEAD", "added x/objects"]);
    expect(isObeyed("x")).toBe(false);
    expect(readFileSync(`${here.workspace}/x/b.txt`, "utf8")).toBe("b\n");
  });

  test("is not completed around a name of a common directory that landed before", async () => {
    here = await overlayWorkspace({
      "x/commondir": "../common\n",
      "common/config": CONFIG.replaceAll("\\n", "\n").replaceAll("\\t", "\t"),
      "common/refs/.keep": "",
      "common/objects/.keep": "",
    });
    expect(Object.keys(await land(`echo "${HEAD}" > x/HEAD`))).toEqual(["added x/HEAD"]);
    expect(isObeyed("x")).toBe(false);
  });

  test("that was one before takes commits as any directory takes files", async () => {
    here = await overlayWorkspace({ "x/config": "[core]\n", "x/HEAD": `${HEAD}\n`, "x/objects/.keep": "", "x/refs/.keep": "" });
    expect(await land("echo ref: refs/heads/other > x/HEAD; mkdir x/refs/heads")).toEqual({});
  });

  test.each([
    ["replaced object", "mkdir -p m.git/refs/replace; echo x > m.git/refs/replace/0123", "m.git/refs/replace/0123"],
    ["alternates", "mkdir -p m.git/objects/info; echo /tmp > m.git/objects/info/alternates", "m.git/objects/info/alternates"],
    ["attributes", "mkdir -p m.git/info; echo '* filter=x' > m.git/info/attributes", "m.git/info/attributes"],
    ["grafts", "mkdir -p m.git/info; echo x > m.git/info/grafts", "m.git/info/grafts"],
    ["peeled lines of refs", "echo '# pack-refs with: peeled' > m.git/packed-refs", "m.git/packed-refs"],
  ])("gets no %s, also where it was one before", async (_what, script, path) => {
    here = await overlayWorkspace({ "m.git/config": "[core]\n\tbare = true\n", "m.git/HEAD": `${HEAD}\n`, "m.git/objects/.keep": "", "m.git/refs/.keep": "" });
    const refused = await land(`${script}; echo fine > m.git/description`);
    expect(Object.keys(refused)).toContain(`added ${path}`);
    expect([existsSync(`${here.workspace}/${path}`), existsSync(`${here.workspace}/m.git/description`)]).toEqual([false, true]);
  });

  test("is flagged for what does not land", async () => {
    here = await overlayWorkspace({ "a.txt": "a" });
    execFileSync("sh", ["-ec", `mkdir -p x/objects x/refs; echo "${HEAD}" > x/HEAD; echo > x/config`], { cwd: here.view });
    const review = await here.review();
    const flagged = (await review.flagged()).filter(({ flags }) => flags.some(({ kind }) => kind === "repository"));
    expect(flagged.map(({ path }) => path)).toEqual(["x/config"]);
    await review.close();
  });
});
