import type { RefusedConnection } from "../traffic/refused-connections.ts";

/** One request of a tool over HTTP. What it sends is all here, but for what the egress proxy adds. */
export type WebRequest = {
  readonly method: string;
  /** Absolute, `http` or `https`, as the URL parser writes it: without user name and fragment. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string | null;
  /** How many redirects within the same scheme, host and port it follows: of GET and HEAD alone. */
  readonly redirects: number;
  /** Bytes of the answer's body, after it was decompressed. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
};

export type WebResult =
  | {
      readonly kind: "answer";
      /** Where the answer came from, after redirects. */
      readonly url: string;
      readonly status: number;
      /** In their order. Names in lower case. */
      readonly headers: readonly (readonly [string, string])[];
      readonly body: Uint8Array;
      /** The body is longer than was wanted. */
      readonly isCut: boolean;
      /** Where a redirect leads that was not followed: an absolute URL of http or https. */
      readonly movedTo: string | null;
    }
  | {
      readonly kind: "no-answer";
      /** What the egress proxy refused; null: it was something else. */ readonly refused: RefusedConnection | null;
      readonly reason: string;
    };

export function headerOf({ headers }: Extract<WebResult, { kind: "answer" }>, name: string): string {
  return headers.find(([known]) => known === name)?.[1] ?? "";
}
