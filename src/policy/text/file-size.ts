/** A policy of 10,000 rules with examples has about two megabytes. */
export const MAX_POLICY_KIBIBYTES = 8 * 1024;

/** Settings, jobs, prices and tests of policies are far shorter. */
export const MAX_KIBIBYTES_OF_A_FILE = 256;

/** A bound as a person writes it: `256 KiB`, `8 MiB`. */
export function sizeText(kibibytes: number): string {
  return kibibytes < 1024 ? `${kibibytes} KiB` : `${kibibytes / 1024} MiB`;
}
