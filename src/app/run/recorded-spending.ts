import type { SpendingMeter } from "../../agent/spending.ts";
import type { Usage } from "../../providers/contract/provider.ts";

/** A meter that also says what each answer took, when that is known. */
export function recordedSpending(meter: SpendingMeter, record: (usage: Usage) => void): SpendingMeter {
  return {
    reserve: (request) => {
      const allowance = meter.reserve(request);
      if (allowance.kind === "spent") return allowance;
      const settle = (usage: Usage): void => {
        allowance.settle(usage);
        record(usage);
      };
      return { ...allowance, settle };
    },
  };
}
