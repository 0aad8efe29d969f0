import { expect, test } from "vitest";
import type { NetworkLimits } from "../../../../src/policy/network.ts";
import { limitsUnder } from "../../../../src/sandbox/egress/traffic/limits.ts";
import { type Flow, type SpentTraffic, Traffic } from "../../../../src/sandbox/egress/traffic/quotas.ts";

function trafficAt(limits: NetworkLimits, spent: SpentTraffic = {}) {
  const clock = { nowMs: 0 };
  const traffic = new Traffic(limits, spent, () => clock.nowMs);
  const begin = (host: string): Flow => {
    const flow = traffic.begin(host);
    if (typeof flow === "string") throw new Error(flow);
    return flow;
  };
  return { clock, traffic, begin };
}

test("counts the requests of the last minute, for each host and for all", () => {
  const { clock, traffic, begin } = trafficAt({ host: { requestsPerMinute: 2 }, run: { requestsPerMinute: 3 } });
  begin("a.example.org").end();
  clock.nowMs = 30_000;
  begin("a.example.org").end();
  expect(traffic.begin("a.example.org")).toBe("rate-limit");
  begin("b.example.org").end();
  expect(traffic.begin("b.example.org")).toBe("rate-limit");
  clock.nowMs = 59_999;
  expect(traffic.begin("a.example.org")).toBe("rate-limit");
  // The first is a minute old: one more, and what was refused did not count.
  clock.nowMs = 60_000;
  begin("a.example.org").end();
  expect(traffic.begin("a.example.org")).toBe("rate-limit");
  clock.nowMs = 90_000;
  begin("a.example.org");
});

test("counts what is under way at once, and a flow that has ended only once", () => {
  const { traffic, begin } = trafficAt({ host: { connections: 1 }, run: { connections: 2 } });
  const first = begin("a.example.org");
  expect(traffic.begin("a.example.org")).toBe("connection-limit");
  const second = begin("b.example.org");
  expect(traffic.begin("c.example.org")).toBe("connection-limit");
  first.end();
  first.end();
  begin("c.example.org");
  expect(traffic.begin("d.example.org")).toBe("connection-limit");
  second.end();
});

test.each(["bytesUp", "bytesDown"] as const)("counts %s of a host over its connections, and of all hosts", (direction) => {
  const { traffic, begin } = trafficAt({ host: { [direction]: 10 }, run: { [direction]: 15 } });
  const other = direction === "bytesUp" ? "bytesDown" : "bytesUp";
  const flow = begin("a.example.org");
  expect(flow.takes(direction, 6)).toBe(true);
  expect(flow.takes(other, 1000)).toBe(true);
  expect(begin("a.example.org").takes(direction, 5)).toBe(false);
  expect(traffic.begin("a.example.org")).toBe("bytes-spent");
  expect(begin("b.example.org").takes(direction, 5)).toBe(false);
  expect(traffic.begin("c.example.org")).toBe("bytes-spent");
});

test("goes on from what was spent before", () => {
  const { traffic, begin } = trafficAt(
    { host: { bytesUp: 10 }, run: { bytesDown: 100 } },
    { "a.example.org": { bytesUp: 10, bytesDown: 60, records: 2 }, "b.example.org": { bytesUp: 0, bytesDown: 30, records: 1 } },
  );
  expect(traffic.begin("a.example.org")).toBe("bytes-spent");
  expect(begin("b.example.org").takes("bytesDown", 11)).toBe(false);
});

test("leaves a run the records that it has not made yet", () => {
  const spent = (records: number) => ({ "a.example.org": { bytesUp: 0, bytesDown: 0, records: 1 }, "": { bytesUp: 0, bytesDown: 0, records } });
  expect([0, 9_998, 9_999, 20_000].map((records) => limitsUnder({}, spent(records)).records)).toEqual([9_999, 1, 0, 0]);
});

test("limits nothing that the policy does not limit", () => {
  const { begin } = trafficAt({});
  for (let turn = 0; turn < 200; turn += 1) expect(begin("a.example.org").takes("bytesUp", 1024 ** 3)).toBe(true);
});
