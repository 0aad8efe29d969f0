import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import * as x509 from "@peculiar/asn1-x509";
import { isAddress } from "../../../policy/matching/hosts.ts";

/** A certificate authority of one session: made with the proxy's process, gone with it. Its private key is written nowhere and told to nobody. */
export type Authority = {
  /** PEM. The one thing of it that leaves the process. */
  readonly certificate: string;
  /** PEM, for one canonical host name or IPv4 address. */
  readonly certificateFor: (host: string) => string;
  /** What a server that speaks for the host needs. Made once for each host. */
  readonly contextFor: (host: string) => SecureContext;
};

const ECDSA_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const HOUR_MS = 3_600_000;
/** Longer than any run, and not longer: a certificate that leaked is worth nothing next week. */
const VALID_MS = 7 * 24 * HOUR_MS;

/**
 * Makes a new authority that can speak for hosts of these patterns (without ports) and no other: where a program trusts it, it
 * trusts it for nothing else (RFC 5280, 4.2.1.10). `*` alone is every name.
 */
export function createAuthority(patterns: readonly string[]): Authority {
  const authorityKeys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const serverKeys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // Programs find an issuer by its name: two sessions must not have the same.
  const issuer = nameOf(`Warder session ${randomBytes(8).toString("hex")}`);
  const authorityId = keyIdentifierOf(authorityKeys.publicKey);
  const issue = (subject: x509.Name, publicKey: KeyObject, extensions: readonly x509.Extension[]): string =>
    certificateOf({ issuer, subject, publicKey, extensions: [...extensions, ...keyIdentifiers(publicKey, authorityId)] }, authorityKeys.privateKey);
  const certificateFor = (host: string): string => issue(nameOf("Warder egress proxy"), serverKeys.publicKey, serverExtensions(host));
  const privateKey = serverKeys.privateKey.export({ type: "pkcs8", format: "pem" });
  const contexts = new Map<string, SecureContext>();
  const contextFor = (host: string): SecureContext => {
    const known = contexts.get(host);
    if (known !== undefined) return known;
    const context = createSecureContext({ key: privateKey, cert: certificateFor(host), minVersion: "TLSv1.2" });
    // A wildcard has any number of names.
    if (contexts.size >= MAX_CONTEXTS) contexts.clear();
    contexts.set(host, context);
    return context;
  };
  return { certificate: issue(issuer, authorityKeys.publicKey, authorityExtensions(patterns)), certificateFor, contextFor };
}

const MAX_CONTEXTS = 256;

type Content = { readonly issuer: x509.Name; readonly subject: x509.Name; readonly publicKey: KeyObject; readonly extensions: readonly x509.Extension[] };

function certificateOf({ issuer, subject, publicKey, extensions }: Content, signingKey: KeyObject): string {
  const serial = randomBytes(16);
  // Positive and without leading zeros, in 16 bytes (RFC 5280, 4.1.2.2).
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const signatureAlgorithm = new x509.AlgorithmIdentifier({ algorithm: ECDSA_SHA256 });
  const nowMs = Date.now();
  const tbsCertificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: arrayOf(serial),
    signature: signatureAlgorithm,
    issuer,
    // The sandbox has the host's clock; an hour for what counts time in its own way.
    validity: new x509.Validity({ notBefore: new Date(nowMs - HOUR_MS), notAfter: new Date(nowMs + VALID_MS) }),
    subject,
    subjectPublicKeyInfo: publicKeyInfo(publicKey),
    extensions: new x509.Extensions([...extensions]),
  });
  const signature = sign("sha256", Buffer.from(AsnConvert.serialize(tbsCertificate)), { key: signingKey, dsaEncoding: "der" });
  const certificate = new x509.Certificate({ tbsCertificate, signatureAlgorithm, signatureValue: arrayOf(signature) });
  const base64 = Buffer.from(AsnConvert.serialize(certificate)).toString("base64");
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/gu, "$&\n").trimEnd()}\n-----END CERTIFICATE-----\n`;
}

function publicKeyInfo(publicKey: KeyObject): x509.SubjectPublicKeyInfo {
  return AsnConvert.parse(publicKey.export({ type: "spki", format: "der" }), x509.SubjectPublicKeyInfo);
}

/** The usual one (RFC 5280, 4.2.1.2): a name for the key, no proof of anything. */
function keyIdentifierOf(publicKey: KeyObject): ArrayBuffer {
  return arrayOf(
    createHash("sha1")
      .update(new Uint8Array(publicKeyInfo(publicKey).subjectPublicKey))
      .digest(),
  );
}

/** Strict verifiers (Python since 3.13) want both. */
function keyIdentifiers(publicKey: KeyObject, authorityId: ArrayBuffer): readonly x509.Extension[] {
  return [
    extension(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(keyIdentifierOf(publicKey)), false),
    extension(x509.id_ce_authorityKeyIdentifier, new x509.AuthorityKeyIdentifier({ keyIdentifier: new x509.KeyIdentifier(authorityId) }), false),
  ];
}

function nameOf(commonName: string): x509.Name {
  const value = new x509.AttributeValue({ utf8String: commonName });
  return new x509.Name([new x509.RelativeDistinguishedName([new x509.AttributeTypeAndValue({ type: COMMON_NAME, value })])]);
}

function authorityExtensions(patterns: readonly string[]): readonly x509.Extension[] {
  const { keyCertSign } = x509.KeyUsageFlags;
  const constraints = patterns.includes("*") ? [] : [extension(x509.id_ce_nameConstraints, constraintsOf(patterns), true)];
  return [
    // No further authority below it.
    extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
    extension(x509.id_ce_keyUsage, new x509.KeyUsage(keyCertSign), true),
    ...constraints,
  ];
}

/** A name constraint covers what lies below a name as well: of `*.example.org` it is `example.org`. */
function constraintsOf(patterns: readonly string[]): x509.NameConstraints {
  const bases = [...new Set(patterns.map((pattern) => pattern.replace(/^(?:\*\.)+/u, "")))];
  const permittedSubtrees = subtrees(bases.map((base) => (isAddress(base) ? { iPAddress: `${base}/32` } : { dNSName: base })));
  // Of a kind that no constraint names, every name would be permitted.
  const excludedSubtrees = subtrees(["0.0.0.0/0", "::/0"].map((block) => ({ iPAddress: block })));
  return new x509.NameConstraints(bases.some(isAddress) ? { permittedSubtrees } : { permittedSubtrees, excludedSubtrees });
}

function subtrees(names: readonly ConstructorParameters<typeof x509.GeneralName>[0][]): x509.GeneralSubtrees {
  return new x509.GeneralSubtrees(names.map((name) => new x509.GeneralSubtree({ base: new x509.GeneralName(name) })));
}

function extension(type: string, value: object, critical: boolean): x509.Extension {
  return new x509.Extension({ extnID: type, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function arrayOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function serverExtensions(host: string): readonly x509.Extension[] {
  const name = new x509.GeneralName(isAddress(host) ? { iPAddress: host } : { dNSName: host });
  return [
    extension(x509.id_ce_basicConstraints, new x509.BasicConstraints({ cA: false }), true),
    extension(x509.id_ce_keyUsage, new x509.KeyUsage(x509.KeyUsageFlags.digitalSignature), true),
    extension(x509.id_ce_extKeyUsage, new x509.ExtendedKeyUsage([x509.id_kp_serverAuth]), false),
    extension(x509.id_ce_subjectAltName, new x509.SubjectAlternativeName([name]), false),
  ];
}
