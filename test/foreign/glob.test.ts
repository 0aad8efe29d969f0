import { expect, test } from "vitest";
import { globbing } from "../../src/foreign/glob.ts";

const PLACE = { workspace: "/repo/src", home: "/home/ada" };
const meaning = (input: object) => globbing("pattern", "path")(input as never, PLACE);
const reads = (...paths: readonly string[]) => ({ tool: "glob_search", requests: paths.map((path) => ({ kind: "read", path, isRecursive: true })) });

test.each([
  [{ pattern: "**/*.ts" }, ["/repo/src"]],
  [{ pattern: "{a,b/c}/*.ts", path: "/repo" }, ["/repo"]],
  [{ pattern: "/etc/ssh/*" }, ["/repo/src", "/etc/ssh"]],
  [{ pattern: "../../etc/*", path: "lib" }, ["/repo/src/lib", "/repo/etc"]],
  [{ pattern: " @/etc/*" }, ["/repo/src", "/repo/src/ @/etc", "/repo/src/@/etc", "/etc"]],
  [{ pattern: "~/.ssh/*" }, ["/repo/src", "/home/ada/.ssh", "/repo/src/~/.ssh"]],
])("%j reads below each directory that it leads to", (input, paths) => {
  expect(meaning(input)).toEqual(reads(...paths));
});

test.each(["*/../../etc/*", "{/etc,a}/*", "{a,/etc/*}", "a{b,~/.ssh/*}", "{a,../../etc}/*", "..", "../{a,/etc}/*"])("%s may lead anywhere", (pattern) => {
  expect(meaning({ pattern })).toEqual({ problem: expect.stringContaining("one directory") as string });
});
