import { writeFileSync } from "node:fs";
import type { Egress } from "../start.ts";

const BUNDLE_NAME = "authorities.pem";

// Debian and Alpine, Fedora, others.
const SYSTEM_BUNDLES = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

/** By which programs are told whom to trust: OpenSSL's own and Node.js's, then those that bring a list of their own. */
const VARIABLES = [
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "PIP_CERT",
  "CARGO_HTTP_CAINFO",
  "AWS_CA_BUNDLE",
];

/**
 * Lays what a sandbox is to trust beside the proxy's socket: the authorities of its image and the session's own. Nothing is laid where no TLS
 * ends in the proxy. `read`: a file of the image, null when there is none.
 */
export async function layTrust({ authority, directory }: Egress, read: (path: string) => Promise<string | null>): Promise<void> {
  if (authority === null) return;
  let bundle = "";
  for (const path of SYSTEM_BUNDLES) {
    bundle = (await read(path)) ?? "";
    if (bundle !== "") break;
  }
  writeFileSync(`${directory}/${BUNDLE_NAME}`, `${bundle.trimEnd()}\n${authority}`, { mode: 0o644, flag: "wx" });
}

/** The variables that say where it lies, for a sandbox that sees the proxy's folder as `target`. */
export function trustVariables(target: string): Readonly<Record<string, string>> {
  return Object.fromEntries(VARIABLES.map((name) => [name, `${target}/${BUNDLE_NAME}`]));
}
