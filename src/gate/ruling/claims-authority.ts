/** What law 8 keeps from every schema that a model sees. Each is long enough to be meant wherever it stands in a name. */
const STEMS = [
  "approv",
  "authori",
  "autonom",
  "bypass",
  "confirm",
  "consent",
  "dangerous",
  "elevat",
  "escalat",
  "insecure",
  "network",
  "permission",
  "polic",
  "privileg",
  "sandbox",
  "unrestrict",
  "unsafe",
] as const;

/** What means something else within other words. */
const WORDS: ReadonlySet<string> = new Set([
  "admin",
  "allowed",
  "grant",
  "granted",
  "image",
  "internet",
  "mount",
  "mounts",
  "permit",
  "root",
  "sudo",
  "trust",
  "trusted",
  "yolo",
]);

/**
 * Whether an argument that no tool has claims what is never a call's to choose: approval, sandbox, policy, network, other rights. It steers nothing
 * either way; a claim is recorded as an attempt, anything else is a model's mistake.
 */
export function claimsAuthority(key: string): boolean {
  const words = key
    .slice(0, 200)
    .normalize("NFKC")
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
  const joined = words.join("");
  return joined === "allow" || words.some((word) => WORDS.has(word)) || STEMS.some((stem) => joined.includes(stem));
}
