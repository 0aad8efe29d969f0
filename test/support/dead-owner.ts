import { ownerOfThisProcess } from "../../src/store/lock/process-owner.ts";

/** A process of this machine that does not run: its pid is above every limit. */
export function deadOwner(): string {
  return ownerOfThisProcess().replace(/\/\d+\/\d+$/u, "/999999999/1");
}
