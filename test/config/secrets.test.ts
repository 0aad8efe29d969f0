import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSecrets } from "../../src/config/secrets.ts";
import type { Credential, SecretSource } from "../../src/policy/network.ts";
import { temporaryDirectory } from "../support/temporary-store.ts";

const VALUE = "s3cret-Value/of+the=run";

function credential(secret: SecretSource): Credential {
  return {
    id: "one",
    secret,
    host: "a.example.org",
    port: 443,
    methods: ["GET"],
    paths: ["/**"],
    header: { name: "x-key", value: "{secret}" },
    otherwise: "refuse",
  };
}

const fromFile = (path: string) => readSecrets([credential({ kind: "file", path })], {});

function secretFile(text = `${VALUE}\n`, mode = 0o600): string {
  const path = join(temporaryDirectory(), "token");
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test("reads a variable as it is, and a file without its last line end", () => {
  const variable = credential({ kind: "variable", name: "A_TOKEN" });
  expect(readSecrets([variable], { A_TOKEN: VALUE })).toEqual(new Map([["one", VALUE]]));
  expect(fromFile(secretFile())).toEqual(new Map([["one", VALUE]]));
  expect(fromFile(secretFile(`${VALUE}\r\n`, 0o400))).toEqual(new Map([["one", VALUE]]));
});

test.each([
  ["that the group may read", 0o640],
  ["that everybody may read", 0o604],
  ["that the group may write", 0o620],
])("refuses a file %s", (_what, mode) => {
  expect(() => fromFile(secretFile(undefined, mode))).toThrow(/may be read or changed by others.*chmod 600/u);
});

test("refuses what is no file of its own: a link, a directory, a file with another name, none", () => {
  const path = secretFile();
  const folder = temporaryDirectory();
  symlinkSync(path, join(folder, "link"));
  expect(() => fromFile(join(folder, "link"))).toThrow("is a link");
  mkdirSync(join(folder, "directory"), { mode: 0o700 });
  expect(() => fromFile(join(folder, "directory"))).toThrow("no regular file");
  expect(() => fromFile(join(folder, "absent"))).toThrow("is not there");
  const other = join(path, "..", "other");
  linkSync(path, other);
  expect(() => fromFile(path)).toThrow("hard links");
});

test.each([
  ["nothing", "", "holds 0 characters"],
  ["too little to be told from other text", "s3cret", "8 to 4096"],
  ["too much", "x".repeat(5000), "8 to 4096"],
  ["a line end within", `${VALUE}\nx-other: y`, "visible ASCII"],
  ["a space", `${VALUE} x`, "visible ASCII"],
  ["a byte beyond ASCII", `${VALUE}é`, "visible ASCII"],
])("refuses a value with %s, and never shows it", (_what, text, says) => {
  for (const read of [() => readSecrets([credential({ kind: "variable", name: "A_TOKEN" })], { A_TOKEN: text }), () => fromFile(secretFile(text))]) {
    expect(read).toThrow(says);
    expect(read).not.toThrow(/s3cret/u);
  }
});
