import type { Refusal } from "../refusal.ts";

/** How an allowed connection ended. */
export type ConnectionEnd =
  | "closed"
  | "not-found"
  | "redirect-refused"
  | "unreachable"
  | "broken"
  | "certificate-refused"
  | "encoding-unknown"
  | "byte-limit"
  | "time-limit"
  | "idle";

/** One connection, or one request over plain HTTP, that a sandbox asked the egress proxy for. */
export type ConnectionRecord = {
  readonly via: "connect" | "http";
  /** Canonical, or what the client wrote with everything but plain ASCII replaced, at most 253 characters. */
  readonly host: string;
  readonly port: number | null;
  /** The address it was pinned to; null when it did not come to that. */
  readonly address: string | null;
  /** Of a request over plain HTTP, or within TLS that the proxy ended: its path without the query, visible ASCII. */
  readonly request: { readonly method: string; readonly path: string; /** Ids. */ readonly credentials: readonly string[] } | null;
  readonly decision: "allow" | "deny";
  readonly reason: Refusal | ConnectionEnd;
  /** Bytes of content from the sandbox and to it. */
  readonly bytesUp: number;
  readonly bytesDown: number;
  readonly durationMs: number;
};

/** A connection as long as it is under way. */
export class Connection {
  address: string | null = null;
  request: ConnectionRecord["request"] = null;
  bytesUp = 0;
  bytesDown = 0;
  private readonly startedMs = performance.now();
  private isRecorded = false;
  private readonly via: ConnectionRecord["via"];
  private readonly target: { readonly host: string; readonly port: number | null };
  private readonly onConnection: (record: ConnectionRecord) => void;

  constructor(via: ConnectionRecord["via"], target: { readonly host: string; readonly port: number | null }, onConnection: (record: ConnectionRecord) => void) {
    this.via = via;
    this.target = target;
    this.onConnection = onConnection;
  }

  /** Counts bytes that go through; false, and none of them counted, when they are more than it may carry. */
  takes(direction: "bytesUp" | "bytesDown", bytes: number, max: number): boolean {
    if (this[direction] + bytes > max) return false;
    this[direction] += bytes;
    return true;
  }

  /** Records how it ended. The first end counts. */
  end(decision: "allow" | "deny", reason: Refusal | ConnectionEnd): void {
    if (this.isRecorded) return;
    this.isRecorded = true;
    const { via, target, address, request, bytesUp, bytesDown } = this;
    const durationMs = Math.round(performance.now() - this.startedMs);
    this.onConnection({ via, ...target, address, request, decision, reason, bytesUp, bytesDown, durationMs });
  }
}

/** A request as a record may hold it. */
export function shownRequest(method: string, path: string): NonNullable<ConnectionRecord["request"]> {
  return { method, path: visible(path.replace(/\?.*$/su, "")), credentials: [] };
}

/** A host as a record may hold it when it is none. */
export function shownHost(text: string): string {
  return visible(text).slice(0, 253);
}

function visible(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/gu, "?");
}
