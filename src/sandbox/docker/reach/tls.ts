import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { AgentError } from "../../../base/errors.ts";

type Pair = { readonly ca: string; readonly cert: string; readonly key: string };

/** Checked before anything is asked of the engine. Throws `bad-configuration` for what is no certificate, or no key of it, in `folder`. */
export function secureContext(folder: string, pair: Pair): SecureContext {
  try {
    // OpenSSL takes no note of an authority that it cannot read.
    const [ca, cert] = [pair.ca, pair.cert].map((text) => new X509Certificate(text).toString() && text);
    return createSecureContext({ ca, cert, key: pair.key, minVersion: "TLSv1.2" });
  } catch (error) {
    throw new AgentError("bad-configuration", `The ca.pem, cert.pem and key.pem in ${folder} cannot be used: ${(error as Error).message}.`, {
      cause: error,
      remedy: "Put there what the engine's owner gave you: the authority's certificate, your own, and its key, all in PEM.",
    });
  }
}

/** What failed as TLS was spoken, by the words that Node.js and OpenSSL have for it, and what to do. */
const FAULTS: readonly { readonly said: RegExp; readonly problem: string; readonly remedy: string }[] = [
  {
    said: /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_SIGNATURE_|INVALID_CA|CERT_UNTRUSTED)/u,
    problem: "The authority in ca.pem did not sign the engine's certificate: another machine may have answered. It was sent nothing.",
    remedy: "Put the engine's own authority into ca.pem (DOCKER_CERT_PATH), or correct DOCKER_HOST.",
  },
  {
    said: /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/u,
    problem: "The engine's certificate is not valid now: it has expired, or is for later. It was sent nothing.",
    remedy: "Have the engine given a new certificate, and look at this machine's clock.",
  },
  {
    said: /^ERR_TLS_CERT_ALTNAME_INVALID/u,
    problem: "The engine's certificate is for another name than DOCKER_HOST has. It was sent nothing.",
    remedy: "Use a name or address that the certificate has, or have it made for this one.",
  },
  {
    said: /ALERT_(?:BAD_CERTIFICATE|CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)|certificate required/u,
    problem: "The engine refuses this user's certificate: another authority signed cert.pem, or it has expired.",
    remedy: "Look at it (openssl x509 -noout -issuer -enddate -in cert.pem), and ask the engine's owner for another.",
  },
  {
    said: /wrong version number|WRONG_VERSION_NUMBER|packet length too long/u,
    problem: "What answers at DOCKER_HOST speaks no TLS.",
    remedy: "Name the engine's port for TLS (usually 2376). For an engine without TLS on the loopback, unset DOCKER_TLS_VERIFY and DOCKER_CERT_PATH.",
  },
  {
    said: /HTTP request to an HTTPS server/u,
    problem: "The engine speaks TLS, and was spoken to without it.",
    remedy: "Set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder with ca.pem, cert.pem and key.pem.",
  },
];

/** Null for another fault than one of TLS. */
export function tlsFault(error: NodeJS.ErrnoException): AgentError | null {
  const fault = FAULTS.find(({ said }) => said.test(error.code ?? "") || said.test(error.message));
  return fault === undefined ? null : new AgentError("sandbox-unavailable", fault.problem, { cause: error, remedy: fault.remedy });
}
