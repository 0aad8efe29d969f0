import type { SimpleCommand } from "../model.ts";
import type { ProgramReading, ReadingContext } from "./reading.ts";

export type { NestedCommand, ProgramEffect, ProgramReading } from "./reading.ts";

/**
 * What one simple command does to the world, from the tables of programs. Pure and total: what is in
 * no table is the effect `unknown`.
 */
export function readProgram(simple: SimpleCommand, context: ReadingContext): ProgramReading {
  const name = simple.program ?? "a program whose name is not known";
  void context;
  return {
    effects: [{ kind: "unknown", cause: `\`${name}\` is in no table of programs`, span: simple.argv[0]?.span ?? simple.span }],
    nested: [],
    needs: [],
  };
}
