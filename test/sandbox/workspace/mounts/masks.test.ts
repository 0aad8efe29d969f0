import { describe, expect, test } from "vitest";
import { mountsOfRoot } from "../../../../src/sandbox/workspace/mounts/masks.ts";
import type { Found, Shown } from "../../../../src/sandbox/workspace/scan/scan.ts";

const sources = { file: "/mask/file", directory: "/mask/directory", copies: new Map([["/w/certs/ca.pem", "/copies/0"]]) };

function planned(found: { masked?: readonly Found[]; shown?: readonly Shown[]; guarded?: readonly Found[] }, isReadOnly = false): readonly string[] {
  const scan = { masked: found.masked ?? [], shown: found.shown ?? [], guarded: found.guarded ?? [], keys: [], aliased: [], entries: new Map() };
  return mountsOfRoot({ path: "/w", source: "/merged", isReadOnly, scan }, sources).map((mount) =>
    mount.kind === "bind" ? `${mount.source} on ${mount.target} ${mount.isReadOnly ? "ro" : "rw"}` : mount.target,
  );
}

describe("the mounts of a root", () => {
  test("show a copy of what was measured as public, and pin every directory above it", () => {
    expect(planned({ shown: [{ path: "/w/certs/ca.pem", content: Buffer.alloc(0), mode: 0o644 }] })).toEqual([
      "/merged on /w rw",
      "/merged/certs on /w/certs rw",
      "/copies/0 on /w/certs/ca.pem ro",
    ]);
  });

  test("hide forbidden files and directories and pin every directory above them", () => {
    expect(
      planned({
        masked: [
          { path: "/w/a/b/.env", type: "file" },
          { path: "/w/secrets", type: "directory" },
        ],
      }),
    ).toEqual(["/merged on /w rw", "/merged/a/b on /w/a/b rw", "/merged/a on /w/a rw", "/mask/file on /w/a/b/.env ro", "/mask/directory on /w/secrets ro"]);
  });

  test("hold protected paths read-only and pin what is above them", () => {
    expect(
      planned({
        guarded: [
          { path: "/w/.git/hooks", type: "directory" },
          { path: "/w/.git/config", type: "file" },
        ],
      }),
    ).toEqual(["/merged on /w rw", "/merged/.git on /w/.git rw", "/merged/.git/hooks on /w/.git/hooks ro", "/merged/.git/config on /w/.git/config ro"]);
  });

  test("pin nothing inside a directory that is held, but everything above it", () => {
    expect(planned({ guarded: [{ path: "/w/x/policies", type: "directory" }], masked: [{ path: "/w/x/policies/deep/.env", type: "file" }] })).toEqual([
      "/merged on /w rw",
      "/merged/x on /w/x rw",
      "/merged/x/policies on /w/x/policies ro",
      "/mask/file on /w/x/policies/deep/.env ro",
    ]);
  });

  test("only mask in a root that is read-only as a whole", () => {
    expect(planned({ guarded: [{ path: "/w/.git/hooks", type: "directory" }], masked: [{ path: "/w/a/.env", type: "file" }] }, true)).toEqual([
      "/merged on /w ro",
      "/mask/file on /w/a/.env ro",
    ]);
  });

  test("are refused when there would be too many", () => {
    const masked = Array.from({ length: 2001 }, (_, index): Found => ({ path: `/w/${String(index)}.pem`, type: "file" }));
    expect(() => planned({ masked })).toThrow(/forbid directories/);
  });
});
