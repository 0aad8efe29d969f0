import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentError } from "../../../src/base/errors.ts";
import { loadPolicy, type LoadPolicyOptions } from "../../../src/config/policy/load.ts";
import { readPolicyFile } from "../../../src/config/policy/files.ts";
import { trustPolicy } from "../../../src/config/policy/trust.ts";
import { keepWorkspaces } from "../../../src/config/state/workspaces.ts";
import { decideRequest } from "../../policy/bench.ts";

let directory: string;
let options: Required<Omit<LoadPolicyOptions, "organisation" | "projects">>;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "warder-policy-")));
  for (const name of ["workspace", "home", "state", "policies"]) mkdirSync(join(directory, name));
  options = { workspace: join(directory, "workspace"), home: join(directory, "home"), stateDirectory: join(directory, "state"), directory };
});

afterEach(() => rmSync(directory, { recursive: true }));

function write(path: string, ...lines: readonly string[]): string {
  const target = join(directory, path);
  writeFileSync(target, `${["version: 1", "name: test", ...lines].join("\n")}\n`);
  return target;
}

/** The message of the `bad-policy` that a load throws. */
function refusal(name: string): string {
  try {
    loadPolicy(name, options);
  } catch (error) {
    if (error instanceof AgentError && error.code === "bad-policy") return error.message;
    throw error;
  }
  throw new Error("The policy was loaded.");
}

test("loads a shipped policy by its name, with what it extends", () => {
  const { policy, renderedWarnings } = loadPolicy("supervised", options);
  expect(policy.name).toBe("supervised");
  expect(policy.files.map((file) => file.replace(/.*\/policies\//u, ""))).toEqual(["supervised.yaml", "base.yaml"]);
  expect(policy.workspace.roots).toEqual([{ path: options.workspace, access: "read-write" }]);
  expect(renderedWarnings).toBe("");
});

test("loads a path, and what it extends beside it", () => {
  write("policies/parent.yaml", "extends: base", "autonomy: supervised");
  write("policies/child.yaml", "extends: ./parent.yaml", "autonomy: full");
  const { policy, renderedWarnings } = loadPolicy("policies/child.yaml", options);
  expect(policy.autonomy).toBe("supervised");
  expect(policy.workspace.forbidden.length).toBeGreaterThan(20);
  expect(renderedWarnings).toContain(
    "policies/child.yaml:4:11: warning: `autonomy` is looser than what it extends states at policies/parent.yaml:4; the stricter holds.",
  );
});

test("a bare name is never a file of the working directory", () => {
  write("mine");
  expect(refusal("mine")).toContain('There is no shipped policy "mine"');
});

test.each(["../supervised", "Supervised", ""])("the name %j is no shipped policy", (name) => {
  expect(() => loadPolicy(name, options)).toThrow(AgentError);
});

test("a policy that extends itself is refused", () => {
  write("policies/one.yaml", "extends: ./two.yaml");
  write("policies/two.yaml", "extends: ./one.yaml");
  expect(refusal("policies/one.yaml")).toContain("policies/two.yaml:3:10: error: It extends policies/one.yaml, which extends it.");
});

test.each([
  ["./none.yaml", "There is no policy file policies/none.yaml"],
  ["supervisd", 'There is no shipped policy "supervisd"'],
  ["./", "is no regular file"],
])("what a policy extends and cannot be read is said where it is named: %s", (parent, message) => {
  write("policies/one.yaml", "autonomy: full", `extends: ${parent}`);
  expect(refusal("policies/one.yaml")).toMatch(/^policies\/one\.yaml:4:10: error: /u);
  expect(refusal("policies/one.yaml")).toContain(message);
});

test("a named pipe is no policy, and nobody waits for who writes into it", () => {
  const pipe = join(directory, "policies/pipe.yaml");
  execFileSync("mkfifo", [pipe]);
  expect(refusal(pipe)).toContain("is no regular file");
});

test("a fault of syntax is said once, without what the parser guesses behind it", () => {
  write("policies/one.yaml", "commands:", "  rules:", "    - id: a", "    deny: x", "      - { allow: y }", "  only: [a");
  const said = refusal("policies/one.yaml");
  expect(said).toMatch(/^policies\/one\.yaml:6:1: error: The file is not valid YAML/u);
  expect(said.split("error:")).toHaveLength(2);
});

test("policies extend each other at most eight deep", () => {
  for (let depth = 0; depth < 10; depth += 1) write(`policies/p${depth}.yaml`, `extends: ./p${depth + 1}.yaml`);
  expect(refusal("policies/p0.yaml")).toContain("more than 8 deep");
});

test("a policy that is absent, a directory or no text is refused", () => {
  expect(refusal("policies/none.yaml")).toContain(`There is no policy file policies/none.yaml (${join(directory, "policies/none.yaml")}).`);
  expect(refusal("./policies")).toContain("is no regular file");
  expect(refusal(join(directory, "../.."))).toContain(`The policy ${join(directory, "../..")} is no regular file`);
  writeFileSync(join(directory, "policies/bytes.yaml"), Uint8Array.of(0x6e, 0xff));
  expect(refusal("policies/bytes.yaml")).toContain("not UTF-8");
});

test("an error shows file, line, column and the lines", () => {
  write("policies/bad.yaml", "autonomy: full", "comands: {}");
  expect(refusal("policies/bad.yaml")).toBe(readFileSync(new URL("../../golden/policy/unknown-key.txt", import.meta.url), "utf8").trimEnd());
});

test("every problem is shown at once", () => {
  write("policies/bad.yaml", "sandbox: { env: [PATH], network: { allow: ['*.*'] } }", "workspace: { forbidden: ['{a,b}'] }");
  expect(refusal("policies/bad.yaml")).toBe(readFileSync(new URL("../../golden/policy/three-problems.txt", import.meta.url), "utf8").trimEnd());
});

test("a file in the workspace is refused until a person confirmed its text", () => {
  const file = write("workspace/mine.yaml", "extends: base");
  expect(refusal(file)).toContain("warder policy trust");
  trustPolicy(readPolicyFile(file, file), options.stateDirectory, new Date(0));
  const { policy } = loadPolicy(file, options);
  expect(policy.name).toBe("test");
  const decision = decideRequest({ ...policy, autonomy: "full" }, { kind: "write", path: file });
  expect(decision.rules.map(({ id }) => id)).toContain("own-state");
});

test("what is trusted is the text that was read, whatever the file holds by then", () => {
  const file = write("workspace/mine.yaml", "extends: base");
  const shown = readPolicyFile(file, file);
  write("workspace/mine.yaml", "autonomy: full");
  trustPolicy(shown, options.stateDirectory, new Date(0));
  expect(refusal(file)).toContain("nobody has confirmed this text");
});

test("another text of a trusted file is refused", () => {
  const file = write("workspace/mine.yaml", "extends: base");
  trustPolicy(readPolicyFile(file, file), options.stateDirectory, new Date(0));
  write("workspace/mine.yaml", "extends: base", "autonomy: full");
  expect(refusal(file)).toContain("nobody has confirmed this text");
});

test("a link from outside into the workspace is a file in the workspace", () => {
  const file = write("workspace/mine.yaml");
  symlinkSync(file, join(directory, "policies/link.yaml"));
  expect(refusal("policies/link.yaml")).toContain("nobody has confirmed this text");
});

test("a file with a second name is no policy: by either name", () => {
  const file = write("workspace/mine.yaml");
  linkSync(file, join(directory, "policies/linked.yaml"));
  for (const name of [file, "policies/linked.yaml"]) expect(refusal(name)).toContain("has another name too (a hard link)");
  expect(() => readPolicyFile(file, file)).toThrow("hard link");
});

test("a file that was trusted is the same one when only its other name is left", () => {
  const file = write("workspace/mine.yaml");
  trustPolicy(readPolicyFile(file, file), options.stateDirectory, new Date(0));
  const linked = join(directory, "policies/linked.yaml");
  linkSync(file, linked);
  writeFileSync(file, readFileSync(file, "utf8").concat("autonomy: full\n"));
  rmSync(file);
  expect(refusal(linked)).toContain("nobody has confirmed this text");
  trustPolicy(readPolicyFile(linked, linked), options.stateDirectory, new Date(0));
  expect(loadPolicy(linked, options).policy.autonomy).toBe("full");
});

test("a file that was trusted and changed since is refused for another workspace, too", () => {
  const file = write("workspace/mine.yaml");
  trustPolicy(readPolicyFile(file, file), options.stateDirectory, new Date(0));
  options = { ...options, workspace: join(directory, "home") };
  expect(loadPolicy(file, options).policy.name).toBe("test");
  write("workspace/mine.yaml", "autonomy: full");
  expect(refusal(file)).toContain("nobody has confirmed this text");
});

test("a file in any workspace that Warder knows wants its text confirmed", () => {
  const file = write("workspace/mine.yaml");
  const elsewhere = { ...options, workspace: join(directory, "home") };
  expect(loadPolicy(file, elsewhere).policy.name).toBe("test");
  keepWorkspaces(options.stateDirectory, [join(directory, "policies")], () => [options.workspace]);
  options = elsewhere;
  expect(refusal(file)).toContain("lies in a workspace");
  expect(refusal(write("policies/other.yaml"))).toContain("lies in a workspace");
  trustPolicy(readPolicyFile(file, file), options.stateDirectory, new Date(0));
  expect(loadPolicy(file, options).policy.name).toBe("test");
  writeFileSync(join(options.stateDirectory, "workspaces.json"), "{}");
  expect(() => loadPolicy(write("home/third.yaml").replace("home", "policies/../home"), { ...options, workspace: join(directory, "workspace") })).toThrow(
    "workspaces",
  );
});

test("what a trusted file extends is held to the same", () => {
  write("workspace/parent.yaml", "autonomy: full");
  write("policies/child.yaml", "extends: ../workspace/parent.yaml");
  expect(refusal("policies/child.yaml")).toContain("workspace/parent.yaml lies in the workspace");
});

test("a file below another writable root is held to the same", () => {
  write("policies/mine.yaml", "workspace: { roots: [{ path: ., access: read-write }, { path: ../policies, access: read-write }] }");
  expect(refusal("policies/mine.yaml")).toContain("nobody has confirmed this text");
});

test("a record of trust that cannot be read trusts nobody", () => {
  const file = write("workspace/mine.yaml");
  writeFileSync(join(directory, "state/trust.json"), '{"version": 1, "policies": "all"}');
  expect(() => loadPolicy(file, options)).toThrow("not a record of trusted policies");
});

test("a workspace that holds the home is refused where it is open for writing", () => {
  options = { ...options, workspace: directory };
  expect(refusal("supervised")).toContain("is open for writing and holds");
});

test("a root's links are resolved before it is judged", () => {
  symlinkSync(options.home, join(directory, "policies/link"));
  write("policies/mine.yaml", "workspace: { roots: [{ path: ../policies/link, access: read-write }] }");
  expect(refusal("policies/mine.yaml")).toContain("is open for writing and holds");
});

test("a root in the workspace that is a link to elsewhere is refused: an agent could have made it", () => {
  mkdirSync(join(directory, "elsewhere"));
  symlinkSync(join(directory, "elsewhere"), join(directory, "workspace/link"));
  write("policies/mine.yaml", "workspace: { roots: [{ path: link, access: read }] }");
  expect(refusal("policies/mine.yaml")).toMatch(/mine\.yaml:3:\d+: error: The root "link" is a link that leads out of the workspace/u);
  symlinkSync(join(directory, "workspace"), join(directory, "workspace/inside"));
  write("policies/mine.yaml", "workspace: { roots: [{ path: inside, access: read }] }");
  expect(loadPolicy("policies/mine.yaml", options).policy.workspace.roots).toEqual([{ path: options.workspace, access: "read" }]);
});

test("a list of hosts allows them, on the ports of the web", () => {
  write("policies/mine.yaml", "autonomy: supervised", "sandbox: { network: { allow: [api.example.com] } }");
  const loaded = loadPolicy("policies/mine.yaml", options);
  expect(decideRequest(loaded.policy, { kind: "connect", host: "api.example.com", port: 443 }).verdict).toBe("allow");
  expect(decideRequest(loaded.policy, { kind: "connect", host: "api.example.com", port: 22 })).toMatchObject({
    verdict: "deny",
    rules: [{ id: "host-not-allowed" }],
  });
});

test("the digest tells policies apart, and not where they were written", () => {
  write("policies/a.yaml", "autonomy: full");
  write("policies/b.yaml", "# a comment", "autonomy: full");
  write("policies/c.yaml", "autonomy: supervised");
  const digest = (name: string): string => loadPolicy(`policies/${name}.yaml`, options).policy.digest;
  expect(digest("a")).toBe(digest("b"));
  expect(digest("a")).not.toBe(digest("c"));
});
