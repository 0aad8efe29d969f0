import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { AuditLog } from "../../src/audit/log/log.ts";
import type { Clock } from "../../src/base/clock.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import { removeFolder } from "./run-folder.ts";

/** A directory that is gone when the test ends. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "warder-test-"));
  onTestFinished(() => {
    removeFolder(directory);
  });
  return directory;
}

/** A clock that stands still until a test moves it. */
export type MovableClock = Clock & { advance(ms: number): void };

export function movableClock(startMs = Date.UTC(2026, 0, 2, 3, 4, 5)): MovableClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** A real store in a directory of its own, closed when the test ends. */
export function temporaryStore(directory = join(temporaryDirectory(), "state")): Store {
  const store = openStore(directory);
  onTestFinished(() => {
    store.close();
  });
  return store;
}

/** A real audit log over a store of its own. */
export function temporaryAudit(store = temporaryStore(), clock: Clock = movableClock()): AuditLog {
  return { store, clock };
}
