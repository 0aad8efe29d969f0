import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { scanAfterCommand, scanRoots } from "../../../../src/sandbox/workspace/scan/all-roots.ts";
import type { Scan } from "../../../../src/sandbox/workspace/scan/scan.ts";
import { hiddenIn, makeMaskLayer } from "../../../../src/sandbox/workspace/changes/mask-layer.ts";
import { makeFixture, OWN_UID, profileOf, type SandboxFixture } from "../../../contract/sandbox-fixture.ts";
import { makeCertificate } from "../../../support/certificate.ts";
import { runsRootTests } from "../../../support/root.ts";

const { cert, key } = makeCertificate("example.org");

let fixture: SandboxFixture;
beforeEach(() => {
  fixture = makeFixture({ "a.txt": "a", "ca.pem": cert, "server.pem": cert + key, "only.key": key, "mine/ca.pem": cert, "policies/ca.pem": cert }, OWN_UID);
});
afterEach(() => {
  fixture.remove();
});

const at = (path: string): string => join(fixture.workspace, path);
const profile = () => profileOf(fixture, { forbidden: [at("mine/*.pem")], keys: [at("**/*.pem"), at("**/*.key")] });
const within = (found: readonly { readonly path: string }[]): readonly string[] => found.map(({ path }) => path.slice(fixture.workspace.length + 1)).toSorted();
const survey = (): Scan => {
  const [scan] = scanRoots(profile(), "all");
  if (scan === undefined) throw new Error("no root");
  return scan;
};

describe("files that patterns of keys name", () => {
  test("are shown by what they hold, and a pattern of forbidden paths holds whatever that is", () => {
    const { shown, masked, guarded, entries } = survey();
    expect(within(shown)).toEqual(["ca.pem", "policies/ca.pem"]);
    expect(within(masked)).toEqual(["mine/ca.pem", "only.key", "server.pem"]);
    expect(within(guarded)).toEqual(["policies"]);
    expect(within([...entries.keys()].map((path) => ({ path })))).toEqual(["a.txt", "ca.pem", "mine", "policies", "policies/ca.pem"]);
    expect(shown.map(({ content }) => content.toString())).toEqual([cert, cert]);
  });

  test("are measured themselves, and no link is followed", () => {
    symlinkSync("ca.pem", at("link.pem"));
    symlinkSync("/proc/self/environ", at("environ.pem"));
    mkdirSync(at("directory.pem"));
    writeFileSync(at("directory.pem/inside"), cert);
    linkSync(at("ca.pem"), at("linked.pem"));
    const { shown, masked, entries } = survey();
    expect(within(shown)).toEqual(["ca.pem", "linked.pem", "policies/ca.pem"]);
    expect(within(masked)).toContain("directory.pem");
    // The links are seen, as links.
    expect([at("link.pem"), at("environ.pem")].map((path) => entries.get(path)?.isSymbolicLink())).toEqual([true, true]);
  });

  test("count as private beyond what is read as a session begins", () => {
    const big = `${cert}${`# ${"word ".repeat(70)}\n`.repeat(2_800)}`;
    for (let index = 0; index < 20; index += 1) writeFileSync(at(`big-${String(index)}.pem`), big);
    const { shown, masked } = survey();
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.length).toBeLessThan(20);
    expect(masked.length + shown.length).toBe(25);
  });

  test("are forbidden under every other name by what they hold, and what lies behind so many files is not read", () => {
    writeFileSync(at("notes.txt"), key);
    linkSync(at("notes.txt"), at("again"));
    symlinkSync("notes.txt", at("link"));
    mkdirSync(at(".git/objects"), { recursive: true });
    writeFileSync(at(".git/description"), key);
    writeFileSync(at("mine/notes"), key);
    const { masked, keys, entries } = survey();
    const found = [".git/description", "again", "mine/notes", "notes.txt"];
    expect(within(masked)).toEqual([...found, "mine/ca.pem", "only.key", "server.pem"].toSorted());
    // A file that is forbidden whatever it holds is none of them.
    expect(keys.map((path) => path.slice(fixture.workspace.length + 1)).toSorted()).toEqual([...found, "only.key", "server.pem"].toSorted());
    expect([at("link"), at("again")].map((path) => entries.get(path)?.isSymbolicLink())).toEqual([true, undefined]);
    const [unasked] = scanRoots({ ...profile(), keys: [] }, "all");
    expect(within(unasked?.masked ?? [])).toEqual(["mine/ca.pem"]);
  });

  test("that a command made in a bound workspace count as private, whatever they hold", () => {
    expect(within(scanAfterCommand(profile()).flatMap(({ masked }) => masked))).toEqual(["ca.pem", "mine/ca.pem", "only.key", "policies/ca.pem", "server.pem"]);
  });

  test.runIf(runsRootTests)("lie in the layer of an overlay as they were measured", async () => {
    const scan = survey();
    const layer = join(fixture.folder, "layer");
    writeFileSync(at("ca.pem"), cert + key);
    expect(await makeMaskLayer(layer, fixture.workspace, scan)).toBe(true);
    expect(readFileSync(join(layer, "ca.pem"), "utf8")).toBe(cert);
    expect([...hiddenIn(layer)].toSorted()).toEqual(["mine/ca.pem", "only.key", "server.pem"]);
  });
});
