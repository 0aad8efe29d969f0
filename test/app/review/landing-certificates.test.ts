import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { judgeWrites } from "../../../src/app/review/denied-writes.ts";
import { readContext } from "../../../src/app/setup/context.ts";
import { makeCertificate } from "../../support/certificate.ts";
import { engineWorkspace } from "../../support/engine-overlay.ts";
import type { OverlaidWorkspace } from "../../support/overlaid-workspace.ts";
import { runsRootTests } from "../../support/root.ts";

const { cert, key } = makeCertificate("example.org");
const other = makeCertificate("example.net").cert;

let here: OverlaidWorkspace;
afterEach(async () => {
  await here.remove();
});

describe.runIf(runsRootTests)("what a run made under the name of a key", () => {
  test("lands if it holds nothing but public parts, before and after", async () => {
    here = await engineWorkspace({ "old.pem": cert, "key.pem": key, "gone.pem": cert, "gone-key.pem": key, "moved.pem": cert, "certs/in.pem": cert });
    const files: Readonly<Record<string, string>> = {
      "venv/certifi/cacert.pem": cert + other,
      "old.pem": other,
      "new-key.pem": key,
      "both.pem": cert + key,
      "key.pem": cert,
      "store.p12": cert,
    };
    mkdirSync(`${here.view}/venv/certifi`, { recursive: true });
    for (const [path, content] of Object.entries(files)) writeFileSync(`${here.view}/${path}`, content);
    for (const path of ["gone.pem", "gone-key.pem", "certs"]) rmSync(`${here.view}/${path}`, { recursive: true });
    writeFileSync(`${here.view}/moved.pem`, cert + key);
    const review = await here.review();
    const report = await review.apply({
      mayWrite: judgeWrites(readContext("unattended", here.workspace)),
      paths: ["venv", "gone.pem", "gone-key.pem", "certs", "moved.pem", ...Object.keys(files)],
    });
    await review.close();
    expect(report.applied.map(({ path }) => path).toSorted()).toEqual([
      "certs",
      "certs/in.pem",
      "gone.pem",
      "old.pem",
      "venv",
      "venv/certifi",
      "venv/certifi/cacert.pem",
    ]);
    expect(report.refused.map(({ change }) => change.path).toSorted()).toEqual([
      "both.pem",
      "gone-key.pem",
      "key.pem",
      "moved.pem",
      "new-key.pem",
      "store.p12",
    ]);
    for (const { reason } of report.refused) expect(reason).toMatch(/The policy forbids (?:this path|private keys, and this holds one, or may)/u);
    expect(readFileSync(`${here.workspace}/key.pem`, "utf8")).toBe(key);
    expect(readFileSync(`${here.workspace}/old.pem`, "utf8")).toBe(other);
  });
});
