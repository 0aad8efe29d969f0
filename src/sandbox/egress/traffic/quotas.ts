import type { NetworkLimits, TrafficLimit } from "../../../policy/network.ts";
import type { Refusal } from "../refusal.ts";

/** What went through before, by host: a restarted session and a resumed run go on counting from it. `records` are connections and requests, refused ones too. */
export type SpentTraffic = Readonly<
  Record<
    string,
    {
      readonly bytesUp: number;
      readonly bytesDown: number;
      readonly records: number;
      /** What a registry was asked for and did not have. */
      readonly missing?: { readonly names: number; readonly characters: number };
    }
  >
>;

/** One connection or request under way. */
export type Flow = {
  /** Counts bytes of content, from the sandbox or to it; false when a limit of host or run is passed. */
  readonly takes: (direction: Direction, bytes: number) => boolean;
  readonly end: () => void;
  /** Ends it as if it had not begun: what is in it begins by itself. Bytes stay counted. */
  readonly withdraw: () => void;
};

type Direction = "bytesUp" | "bytesDown";

const MINUTE_MS = 60_000;

/** Counts against one limit. */
class Count {
  private bytes = { bytesUp: 0, bytesDown: 0 };
  private open = 0;
  /** When the requests of the last minute began, the oldest first. */
  private begun: number[] = [];
  private readonly limit: TrafficLimit;

  constructor(limit: TrafficLimit) {
    this.limit = limit;
  }

  refusal(nowMs: number): Refusal | null {
    const { limit } = this;
    this.begun = this.begun.filter((atMs) => nowMs - atMs < MINUTE_MS);
    if (this.begun.length >= (limit.requestsPerMinute ?? Infinity)) return "rate-limit";
    if (this.open >= (limit.connections ?? Infinity)) return "connection-limit";
    return this.isSpent("bytesUp") || this.isSpent("bytesDown") ? "bytes-spent" : null;
  }

  begin(nowMs: number): void {
    this.open += 1;
    if (this.limit.requestsPerMinute !== undefined) this.begun.push(nowMs);
  }

  takes(direction: Direction, bytes: number): boolean {
    this.bytes[direction] += bytes;
    return this.bytes[direction] <= (this.limit[direction] ?? Infinity);
  }

  end(): void {
    this.open -= 1;
  }

  withdraw(atMs: number): void {
    this.end();
    const at = this.begun.indexOf(atMs);
    if (at >= 0) this.begun.splice(at, 1);
  }

  private isSpent(direction: Direction): boolean {
    return this.bytes[direction] >= (this.limit[direction] ?? Infinity);
  }
}

/** The policy's limits on what goes through one proxy, for each host and for all. */
export class Traffic {
  private readonly limits: NetworkLimits;
  private readonly run: Count;
  private readonly hosts = new Map<string, Count>();
  private readonly nowMs: () => number;
  /** The stop switch is engaged: nothing begins. */
  isHalted = false;

  constructor(limits: NetworkLimits, spent: SpentTraffic = {}, nowMs: () => number = () => performance.now()) {
    this.limits = limits;
    this.nowMs = nowMs;
    this.run = new Count(limits.run ?? {});
    for (const [host, bytes] of Object.entries(spent))
      for (const direction of ["bytesUp", "bytesDown"] as const) for (const count of [this.run, this.hostOf(host)]) count.takes(direction, bytes[direction]);
  }

  /** Takes a place for one connection or request to an allowed host, or says why there is none. */
  begin(host: string): Flow | Refusal {
    if (this.isHalted) return "stop-switch";
    const nowMs = this.nowMs();
    const counts = [this.hostOf(host), this.run];
    for (const count of counts) {
      const refusal = count.refusal(nowMs);
      if (refusal !== null) return refusal;
    }
    for (const count of counts) count.begin(nowMs);
    let isOpen = true;
    const once = (end: (count: Count) => void) => (): void => {
      if (isOpen) for (const count of counts) end(count);
      isOpen = false;
    };
    return {
      takes: (direction, bytes) => counts.map((count) => count.takes(direction, bytes)).every(Boolean),
      end: once((count) => {
        count.end();
      }),
      withdraw: once((count) => {
        count.withdraw(nowMs);
      }),
    };
  }

  private hostOf(host: string): Count {
    const known = this.hosts.get(host);
    if (known !== undefined) return known;
    const made = new Count(this.limits.host ?? {});
    this.hosts.set(host, made);
    return made;
  }
}
