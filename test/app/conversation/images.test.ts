import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readImages } from "../../../src/app/conversation/images.ts";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

const all = realpathSync(mkdtempSync(join(tmpdir(), "warder-images-")));
afterAll(() => rmSync(all, { recursive: true, force: true }));

function place(): { readonly workspace: string; readonly beside: string } {
  const root = mkdtempSync(join(all, "place-"));
  const [workspace, beside] = [join(root, "workspace"), join(root, "beside")];
  for (const directory of [workspace, beside]) mkdirSync(directory);
  for (const directory of [workspace, beside]) writeFileSync(join(directory, "view.png"), PNG);
  return { workspace, beside };
}

describe("images that a person names", () => {
  test("are read from the workspace, or from where their whole path is, once each", () => {
    const { workspace, beside } = place();
    const { images, problems } = readImages(["view.png", join(beside, "view.png"), "view.png"], workspace);
    expect(problems).toEqual([]);
    expect(images).toEqual(["view.png", join(beside, "view.png")].map((name) => ({ name, mediaType: "image/png", base64: PNG.toString("base64") })));
  });

  test.each([
    ["what is not there", (): string => "none.png", "there is no such file."],
    ["a directory", ({ workspace }: { workspace: string }) => (mkdirSync(join(workspace, "d.png")), "d.png"), "it is no file."],
    ["a pipe", ({ workspace }: { workspace: string }) => (execFileSync("mkfifo", [join(workspace, "p.png")]), "p.png"), "it is no file."],
    ["a device", () => "/dev/zero", "it is no file."],
    [
      "a text with the name of an image",
      ({ workspace }) => (writeFileSync(join(workspace, "t.png"), "secret"), "t.png"),
      "it is no PNG, JPEG, GIF or WebP image.",
    ],
    ["a file without a size", () => "/proc/self/environ", "it is no PNG, JPEG, GIF or WebP image."],
    [
      "one that is too large",
      ({ workspace }) => (writeFileSync(join(workspace, "l.png"), PNG), truncateSync(join(workspace, "l.png"), 3_750_001), "l.png"),
      "it is larger than 3.75 MB.",
    ],
    [
      "a link out of the workspace",
      ({ workspace, beside }) => (symlinkSync(join(beside, "view.png"), join(workspace, "link.png")), "link.png"),
      "a link in the workspace leads outside of it. Name the file itself.",
    ],
    [
      "what lies behind a linked directory",
      ({ workspace, beside }) => (symlinkSync(beside, join(workspace, "shots")), "shots/view.png"),
      "a link in the workspace leads outside of it. Name the file itself.",
    ],
  ] as readonly (readonly [string, (at: { workspace: string; beside: string }) => string, string])[])("without %s", (_what, make, problem) => {
    const at = place();
    const name = make(at);
    expect(readImages([name], at.workspace)).toEqual({ images: [], problems: [`${name} is not sent: ${problem}`] });
  });

  test("are few, and not too large together", () => {
    const { workspace } = place();
    const names = Array.from({ length: 9 }, (_, index) => `${String(index)}.png`);
    for (const name of names) writeFileSync(join(workspace, name), PNG);
    expect(readImages(names, workspace)).toMatchObject({ images: { length: 8 }, problems: ["8.png is not sent: a message takes at most 8 images."] });
    for (const name of names.slice(0, 3)) truncateSync(join(workspace, name), 3_750_000);
    expect(readImages(names.slice(0, 3), workspace)).toMatchObject({
      images: { length: 2 },
      problems: ["2.png is not sent: the images of a message take at most 7.5 MB together."],
    });
  });
});
