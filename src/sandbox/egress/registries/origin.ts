import type { RegistryName } from "../../../policy/network.ts";
import type { Target } from "../hosts/target.ts";

/** One place where a registry answers, as the person's own client is configured to reach it. */
export type RegistryOrigin = {
  readonly registry: RegistryName;
  readonly isEncrypted: boolean;
  /** Canonical. */
  readonly host: string;
  readonly port: number;
  /** Canonical, begins and ends with `/`: metadata lies below it. Null: archives alone are there. */
  readonly base: string | null;
  /** Addresses that the host may have although they are not public: what it had when the session was opened. */
  readonly addresses: readonly string[];
  /** PEM: whom its certificate may come from, beside those whom everybody trusts. */
  readonly trusted: readonly string[];
  /** What the proxy signs in with, below `base` alone; null: nothing. */
  readonly credential: { /** Of the value. */ readonly id: string; /** A header's value with `{secret}` or `{basic USER}`. */ readonly form: string } | null;
};

/** The registries of a session, and what their clients inside are told. */
export type RegistryAccess = {
  readonly origins: readonly RegistryOrigin[];
  /** Nothing secret is in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Files of a client below the home inside, by path: of clients that read no variable. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** Of apt: its list of sources, with `{release}` for the image's, and lines of its settings. */
  readonly apt?: { readonly sources: string; readonly settings: readonly string[] };
};

export const NO_REGISTRIES: RegistryAccess = { origins: [], env: {} };

export function originsAt(origins: readonly RegistryOrigin[], { host, port }: Target): readonly RegistryOrigin[] {
  return origins.filter((origin) => origin.host === host && origin.port === port);
}
