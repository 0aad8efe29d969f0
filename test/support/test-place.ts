import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { makePlace, type Place } from "./warder-cli.ts";

/** A place of the running test's own, removed when the test is over. A concurrent test gives the `onTestFinished` of its own context. */
export function place(onFinished: typeof onTestFinished = onTestFinished): Place {
  const made = makePlace();
  onFinished(() => {
    made.remove();
  });
  return made;
}

/** Writes a script for the model into a place. Gives the model's name. */
export function script(here: Place, text: string): string {
  const path = join(here.root, "script.yaml");
  writeFileSync(path, text);
  return `scripted:${path}`;
}
