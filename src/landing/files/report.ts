import type { Change } from "../../sandbox/runtime.ts";

export type ApplyReport = {
  readonly applied: readonly Change[];
  /** Left out, each with the reason (protected path, conflict, escaping link, device…). Nothing of it landed. */
  readonly refused: readonly { readonly change: Change; readonly reason: string }[];
};

/** Why a path must not be written, or null. `holds`: it is a file before and after, as far as there is one, that holds nothing but public parts. */
export type MayWrite = (path: string, holds?: "public-parts") => string | null;
