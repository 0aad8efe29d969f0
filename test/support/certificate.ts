import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A self-made certificate and its key, for these names. Nobody trusts it who is not told to. */
export function makeCertificate(...names: readonly string[]): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "warder-tls-"));
  const subject = ["-days", "2", "-subj", "/CN=test", "-addext", `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`];
  const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", ...subject];
  execFileSync("openssl", [...request, "-keyout", join(folder, "key"), "-out", join(folder, "cert")], { stdio: "pipe" });
  const pair = { key: readFileSync(join(folder, "key"), "utf8"), cert: readFileSync(join(folder, "cert"), "utf8") };
  rmSync(folder, { recursive: true });
  return pair;
}
