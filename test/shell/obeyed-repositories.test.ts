import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { analyseCommand } from "../../src/shell/analyse.ts";
import type { ObeyedRepository } from "../../src/shell/model/model.ts";

type Vectors = {
  readonly source: string;
  readonly because: string;
  readonly cases: readonly { readonly command: string; readonly obeys: readonly string[]; readonly runs?: readonly string[] }[];
};

const VECTORS = JSON.parse(readFileSync(new URL("../vectors/git/obeyed.json", import.meta.url), "utf8")) as Vectors;

function show({ directory, isCalm, isConnecting, gainsSubmodules, mayAppear, mayBecomeBare }: ObeyedRepository): string {
  const words = [isCalm && "calm", isConnecting && "connecting", gainsSubmodules && "gaining", mayAppear && "making", mayBecomeBare && "placing"];
  return [directory, ...words.filter((word) => word !== false)].join(" ");
}

test("the vectors have nothing else", () => {
  expect(Object.keys(VECTORS).toSorted()).toEqual(["because", "cases", "source"]);
  for (const each of VECTORS.cases) expect(Object.keys(each).filter((key) => !["command", "obeys", "runs"].includes(key))).toEqual([]);
});

test.each(VECTORS.cases)("which repositories `$command` obeys", ({ command, obeys, runs = [] }) => {
  const { repositories = [], effects } = analyseCommand(command, { cwd: "/w", home: "/home/a" });
  expect(repositories.map(show)).toEqual(obeys);
  const found = effects.flatMap(({ kind, cause }) =>
    kind === "runs-code" ? (/which (?:is known only when it runs|the same text may write)$/.exec(cause)?.[0] ?? []) : [],
  );
  expect(found).toEqual(runs);
});
