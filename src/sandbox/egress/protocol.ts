import type { NetworkSettings } from "../../policy/network.ts";
import type { ConnectionRecord } from "./traffic/connection-record.ts";
import type { RegistryOrigin } from "./registries/origin.ts";
import type { CredentialUse } from "./secrets/credential.ts";
import type { SpentTraffic } from "./traffic/quotas.ts";

/** What the proxy's process is told: the first line of its standard input, as JSON. The end of the input ends it. */
export type EgressOrder = {
  readonly network: NetworkSettings;
  readonly origins: readonly RegistryOrigin[];
  readonly spent: SpentTraffic;
  /** Whom it becomes once it listens; null when it is nobody's root. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** Answers that are given instead of asking DNS, as `/etc/hosts` would. They are checked like DNS's. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** PEM: whom the certificate of a server may come from, where the proxy itself speaks TLS to it. */
  readonly trusted: readonly string[];
  /** Values, by the credential's id. They stand in no argument, no environment and no file. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Nothing goes through until a {@link HaltOrder} says otherwise. */
  readonly isHalted: boolean;
  /** Whether there is a second door, for the browser, in the folder {@link BROWSER_FOLDER}. */
  readonly hasBrowserDoor: boolean;
};

/** Each further line: whether the use of a credential that it asked for may happen. */
export type UseAnswer = { readonly use: number; readonly isGranted: boolean };

/** Or: whether everything is cut, and nothing goes through, from now on. */
export type HaltOrder = { readonly isHalted: boolean };

/** What it says: one JSON object a line on its standard output. */
export type EgressMessage =
  /** `authority`: the certificate (PEM) that a sandbox must trust; null where no TLS ends in the proxy. */
  | { readonly kind: "ready"; readonly authority: string | null }
  | { readonly kind: "connection"; readonly record: ConnectionRecord }
  /** A credential is about to be added to a request, which waits for the answer of this number. */
  | { readonly kind: "use"; readonly number: number; readonly use: CredentialUse };

/** The socket's name in the working directory of the process: a path of its own could be longer than a socket's may be. */
export const SOCKET_NAME = "proxy.sock";

/** Where the browser's socket lies, seen from there. */
export const BROWSER_FOLDER = "../browser-egress";
