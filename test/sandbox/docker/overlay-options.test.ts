import { describe, expect, test } from "vitest";
import { overlayOptions } from "../../../src/sandbox/docker/overlay-options.ts";

const options = (lowers: readonly string[], upper = "/s/upper", work = "/s/work"): string => overlayOptions({ lowers, upper, work }, false);

describe("the options of an overlay that the engine mounts", () => {
  test("keep the marks in attributes that a command cannot write, and switch off what changes are not read with", () => {
    expect(options(["/s/mask", "/w"])).toBe("lowerdir=/s/mask:/w,upperdir=/s/upper,workdir=/s/work,userxattr,metacopy=off,index=off,xino=off,nosuid,nodev");
  });

  test.each([
    ["a comma, a colon and a backslash", "/home/a,b:c\\d", "/home/a\\,\\b\\:c\\\\d"],
    // Docker takes a part between commas that is a flag of a mount for one.
    ["a flag between commas", "/w/a,ro,exec", "/w/a\\,\\ro\\,\\exec"],
    ["commas in a row and at the end", "/w/a,,", "/w/a\\,\\,"],
    // mount(8), which Podman calls, takes no comma between two quotes for a separator.
    ["a quote", '/w/a"b', '/w/a\\"b'],
  ])("name a path with %s", (_name, path, written) => {
    expect(options([path])).toContain(`lowerdir=${written},upperdir=`);
    expect(options(["/w"], path)).toContain(`upperdir=${written},workdir=`);
  });

  test("leave the owner of the workspace as it is on Podman, which names no owner to the kernel", () => {
    expect(overlayOptions({ lowers: ["/w"], upper: "/s/upper", work: "/s/work" }, true)).toBe(`${options(["/w"])},X-warder=",uid=0,gid=0,"`);
  });

  test("are refused where they are longer than the kernel reads, or name what has no name", () => {
    expect(() => options([`/${"a".repeat(4100)}`])).toThrow(/too long .* WARDER_HOME/u);
    expect(() => options(["/w\uFFFD"])).toThrow(/not UTF-8/u);
  });
});
