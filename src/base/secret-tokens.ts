/** A group named `keep` is not part of the secret. */
export type SecretPattern = { readonly name: string; readonly pattern: RegExp };

/**
 * Tokens of well-known services. Each is anchored on a prefix that only such a token has, so that ordinary words and hashes are none. Texts come from
 * whatever a command prints: a pattern that can begin at many places must end near each of them, or searching takes the square of the length.
 */
export const TOKENS: readonly SecretPattern[] = [
  { name: "private key", pattern: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/gu },
  { name: "AWS key id", pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/gu },
  { name: "GitHub token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/gu },
  { name: "GitLab token", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/gu },
  { name: "Slack token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/gu },
  { name: "npm token", pattern: /\bnpm_[A-Za-z0-9]{36,}/gu },
  { name: "model key", pattern: /\bsk-[A-Za-z0-9_-]{20,}/gu },
  { name: "Google key", pattern: /\bAIza[A-Za-z0-9_-]{35}/gu },
  { name: "Stripe key", pattern: /\b[rs]k_live_[A-Za-z0-9]{16,}/gu },
  { name: "JWT", pattern: /\beyJ[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/gu },
];

/** Every token in a text, by the name of its kind and the text itself. */
export function tokensIn(text: string): readonly { readonly name: string; readonly token: string }[] {
  return TOKENS.flatMap(({ name, pattern }) => Array.from(text.matchAll(pattern), ([token]) => ({ name, token })));
}
