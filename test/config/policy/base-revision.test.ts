import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "../../../src/base/digest.ts";
import { AgentError } from "../../../src/base/errors.ts";
import { type LoadedPolicy, loadPolicy, readOwnText, UnconfirmedPolicy } from "../../../src/config/policy/load.ts";
import { confirmedText, trustPolicy } from "../../../src/config/policy/trust.ts";
import { ENV } from "../../support/git-workspace.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const text = (...lines: readonly string[]): string => `${["version: 1", "name: test", ...lines].join("\n")}\n`;
const NARROW = text("autonomy: read-only");
const WIDE = text("autonomy: full");

let root: string;
let workspace: string;

function git(...argv: readonly string[]): string {
  return execFileSync("git", ["-C", workspace, ...argv], { env: ENV, encoding: "utf8" }).trim();
}

function write(name: string, content: string): string {
  const path = join(workspace, name);
  writeFileSync(path, content);
  return path;
}

beforeEach(() => {
  root = temporaryDirectory();
  workspace = join(root, "workspace");
  for (const name of ["workspace", "home", "state"]) mkdirSync(join(root, name));
  git("init", "-q");
  write("policy.yaml", NARROW);
  git("add", ".");
  git("commit", "-qm", "base");
  git("branch", "base");
});

type Asked = { readonly named?: string; readonly from?: string | null; readonly confirmed?: readonly string[] };

function load({ named = "policy.yaml", from = "base", confirmed = [sha256(NARROW)] }: Asked = {}): LoadedPolicy {
  const places = { workspace, home: join(root, "home"), stateDirectory: join(root, "state"), directory: workspace };
  return loadPolicy(named, { ...places, projects: { from, confirmed } });
}

/** The message of the error that a load throws. */
function refusal(asked: Asked): string {
  try {
    load(asked);
  } catch (error) {
    if (error instanceof AgentError) return error.message;
    throw error;
  }
  throw new Error("The policy was loaded.");
}

describe("a policy that is read from a base revision", () => {
  test("is what the revision has, and says what the working tree has otherwise", () => {
    expect(load()).toMatchObject({ policy: { autonomy: "read-only" }, base: { revision: "base", differing: [] } });
    write("policy.yaml", WIDE);
    const loaded = load();
    expect(loaded).toMatchObject({
      policy: { autonomy: "read-only" },
      base: { revision: "base", commit: git("rev-parse", "base"), differing: ["policy.yaml"] },
    });
    expect(loaded.policy.positions?.get("autonomy")?.file).toBe("base:policy.yaml");
    // A run writes none of its own policy's files: neither where it stands.
    expect(loaded.policy.files).toEqual([join(workspace, "policy.yaml")]);
    rmSync(join(workspace, "policy.yaml"));
    expect(load()).toMatchObject({ policy: { autonomy: "read-only" }, base: { differing: ["policy.yaml"] } });
  });

  test("is named on the command line, too, and stays so named", () => {
    write("policy.yaml", WIDE);
    expect(load({ named: "base:policy.yaml", from: null }).policy.autonomy).toBe("read-only");
    expect(load({ named: `${git("rev-parse", "base")}:policy.yaml`, from: "HEAD" }).policy.autonomy).toBe("read-only");
  });

  test("is not the branch's under work, whatever that commits", () => {
    write("policy.yaml", WIDE);
    git("commit", "-qam", "widen");
    expect(load().policy.autonomy).toBe("read-only");
  });

  test("is refused where the revision was moved to a text that nobody confirmed", () => {
    write("policy.yaml", WIDE);
    git("commit", "-qam", "widen");
    git("branch", "-f", "base");
    expect(refusal({})).toMatch(
      /The policy base:policy\.yaml lies in the workspace, .* nobody has confirmed this text\. Read it, then run: warder policy trust base:policy\.yaml/u,
    );
  });

  test("takes what it extends in the repository from the same revision, and the rest from where it lies", () => {
    const outer = join(root, "home", "outer.yaml");
    writeFileSync(outer, text("autonomy: supervised").replace("name: test", "name: outer"));
    write("parent.yaml", text(`extends: ${outer}`).replace("name: test", "name: parent"));
    write("policy.yaml", text("extends: ./parent.yaml", "autonomy: full"));
    git("add", ".");
    git("commit", "-qm", "extend");
    git("branch", "-f", "base");
    const confirmed = ["policy.yaml", "parent.yaml"].map((name) => sha256(readFileSync(join(workspace, name), "utf8")));
    write("parent.yaml", text("autonomy: full").replace("name: test", "name: parent"));
    const { policy, base } = load({ confirmed });
    expect(policy.autonomy).toBe("supervised");
    expect(base?.differing).toEqual(["parent.yaml"]);
  });

  test("is not what a link in the working tree or in the revision leads to", () => {
    write("wide.yaml", WIDE);
    rmSync(join(workspace, "policy.yaml"));
    symlinkSync("wide.yaml", join(workspace, "policy.yaml"));
    const confirmed = [sha256(NARROW), sha256(WIDE)];
    expect(load({ confirmed }).policy.autonomy).toBe("read-only");
    git("add", ".");
    git("commit", "-qm", "link");
    git("branch", "-f", "base");
    expect(refusal({ confirmed })).toContain("The policy policy.yaml at base");
    expect(refusal({ confirmed })).toContain("is no regular file");
  });

  test("is the repository's also by a link from outside", () => {
    write("policy.yaml", WIDE);
    const link = join(root, "home", "link.yaml");
    symlinkSync(join(workspace, "policy.yaml"), link);
    expect(load({ named: link }).policy.autonomy).toBe("read-only");
  });

  test.each([
    ["a revision that git does not know", { from: "gone" }, "git knows no such revision"],
    ["an option", { from: "--output=x" }, "no name of one"],
    ["a range", { from: "base..HEAD" }, "no name of one"],
    ["a file that the revision has not", { named: "other.yaml" }, "There is no policy other.yaml at base"],
    ["a revision of a shipped policy", { named: "base:unattended" }, "lies in no repository of the workspace"],
  ])("%s ends the load", (_what, asked, said) => {
    expect(refusal(asked)).toContain(said);
  });

  test("without a repository it is read where it stands, and wants its text confirmed", () => {
    rmSync(join(workspace, ".git"), { recursive: true });
    expect(load()).toMatchObject({ policy: { autonomy: "read-only" }, base: null });
    write("policy.yaml", WIDE);
    expect(refusal({})).toContain("nobody has confirmed this text");
    expect(refusal({ named: "base:policy.yaml" })).toContain("lies in no repository");
  });

  test("a shipped policy is the program's own", () => {
    expect(load({ named: "unattended" })).toMatchObject({ policy: { name: "unattended" }, base: null });
  });

  test("reading it starts nothing that the repository names", () => {
    const ran = join(root, "ran");
    const program = join(root, "program");
    writeFileSync(program, `#!/bin/sh\necho ran >> ${ran}\nexit 1\n`);
    chmodSync(program, 0o755);
    const blob = git("rev-parse", "base:policy.yaml");
    for (const [key, value] of [
      ["core.fsmonitor", program],
      ["core.hooksPath", root],
      ["core.pager", program],
      ["core.sshCommand", program],
      ["extensions.partialClone", "origin"],
      ["remote.origin.promisor", "true"],
      ["remote.origin.url", `${root}/other`],
      ["remote.origin.uploadpack", program],
      ["protocol.file.allow", "always"],
    ] as const)
      git("config", key, value);
    expect(load().policy.autonomy).toBe("read-only");
    // Its object is gone, so a git that fetches would ask the remote.
    rmSync(join(workspace, ".git", "objects", blob.slice(0, 2), blob.slice(2)), { force: true });
    expect(refusal({})).toContain("cannot be read");
    expect(existsSync(ran)).toBe(false);
  });

  test("an object that stands in for another does not count", () => {
    const [narrow, wide] = [
      git("rev-parse", "base:policy.yaml"),
      execFileSync("git", ["-C", workspace, "hash-object", "-w", "--stdin"], { env: ENV, encoding: "utf8", input: WIDE }).trim(),
    ];
    git("replace", narrow, wide);
    expect(git("show", "base:policy.yaml")).toBe(WIDE.trim());
    expect(load({ confirmed: [sha256(NARROW), sha256(WIDE)] }).policy.autonomy).toBe("read-only");
  });
});

test("a person confirms the text of the revision, and it is kept to be compared with the next", () => {
  const state = join(root, "state");
  write("policy.yaml", WIDE);
  expect(() => load({ confirmed: [] })).toThrow(UnconfirmedPolicy);
  const read = readOwnText("policy.yaml", { from: "base", confirmed: [] }, workspace);
  expect(read).toMatchObject({ file: "base:policy.yaml", path: join(workspace, "policy.yaml"), text: NARROW });
  trustPolicy(read, state, new Date(0));
  expect(load({ confirmed: [] }).policy.autonomy).toBe("read-only");
  expect(confirmedText(read.path, state)).toBe(NARROW);
  expect(refusal({ from: null, confirmed: [] })).toContain("See what it changes, and confirm it: warder policy trust policy.yaml");
});
