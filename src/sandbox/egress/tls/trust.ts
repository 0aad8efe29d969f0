import { writeFileSync } from "node:fs";
import type { Egress } from "../start.ts";
import { javaTrustStore } from "./key-store.ts";

const BUNDLE_NAME = "authorities.pem";
const JAVA_STORE_NAME = "authorities.jks";

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

/** What programs are told by a file alone: the variable that names the file, its name, and its text. */
const SETTINGS: readonly { readonly variable: string; readonly name: string; readonly text: (bundle: string) => string }[] = [
  { variable: "WGETRC", name: "wgetrc", text: (bundle) => `ca_certificate = ${bundle}\n` },
  { variable: "APT_CONFIG", name: "apt-trust.conf", text: (bundle) => `Acquire::https::CaInfo "${bundle}";\n` },
];

/**
 * Lays what a sandbox is to trust beside the proxy's socket: the authorities of its image and the session's own. Nothing is laid where no TLS
 * ends in the proxy. `target`: where the sandbox sees that folder. `read`: a file of the image, null when there is none.
 */
export async function layTrust({ authority, directory }: Egress, target: string, read: (path: string) => Promise<string | null>): Promise<void> {
  if (authority === null) return;
  let bundle = "";
  for (const path of SYSTEM_BUNDLES) {
    bundle = (await read(path)) ?? "";
    if (bundle !== "") break;
  }
  bundle = `${bundle.trimEnd()}\n${authority}`;
  const files = [
    { name: BUNDLE_NAME, text: bundle },
    { name: JAVA_STORE_NAME, text: javaTrustStore(bundle) },
    ...SETTINGS.map(({ name, text }) => ({ name, text: text(`${target}/${BUNDLE_NAME}`) })),
  ];
  for (const { name, text } of files) writeFileSync(`${directory}/${name}`, text, { mode: 0o644, flag: "wx" });
}

/** The variables that say where it lies, for a sandbox that sees the proxy's folder as `target`. */
export function trustVariables(target: string): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...VARIABLES.map((name) => [name, `${target}/${BUNDLE_NAME}`] as const),
    ...SETTINGS.map(({ variable, name }) => [variable, `${target}/${name}`] as const),
  ]);
}

/** The same for Java, which has no variable for it but options. */
export function javaTrustOptions(target: string): readonly string[] {
  return [`-Djavax.net.ssl.trustStore=${target}/${JAVA_STORE_NAME}`];
}
