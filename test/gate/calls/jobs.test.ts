import { expect, test } from "vitest";
import type { Session } from "../../../src/sandbox/runtime.ts";
import { policyText, scene } from "../gate-scene.ts";

/** The same session, which notes in which order it is asked for what. */
function noted(session: Session, notes: string[]): Session {
  return {
    ...session,
    resolve: (paths) => {
      notes.push("measure");
      return session.resolve(paths);
    },
    perform: (permit, action, options) => {
      notes.push(action.kind);
      return session.perform(permit, action, options);
    },
    still: async (work) => {
      notes.push("still");
      const result = await work();
      notes.push("over");
      return result;
    },
  };
}

const notesOf = async (name: string, input: unknown): Promise<readonly string[]> => {
  const notes: string[] = [];
  const { call } = scene({ policy: policyText({ autonomy: "full" }), change: ({ session }) => ({ session: noted(session, notes) }) });
  await call(name, input);
  return notes.slice(notes.indexOf("still"));
};

/** Before a verdict, so that what was judged is what was measured. */
const JUDGED = ["still", "measure", "over"];

test("jobs stand still from measuring again to the end of an action", async () => {
  expect(await notesOf("write_file", { path: "a.txt", content: "a" })).toEqual([
    ...JUDGED,
    "still",
    "measure",
    "read-file",
    "over",
    "still",
    "measure",
    "write-file",
    "measure",
    "over",
  ]);
  expect(await notesOf("shell", { command: "cat a.txt" })).toEqual([...JUDGED, "still", "measure", "exec", "over"]);
  expect(await notesOf("start_job", { command: "cat a.txt" })).toEqual([...JUDGED, "still", "measure", "start-job", "over"]);
});

test("a job that is waited for goes on", async () => {
  const [read, stopped] = [await notesOf("read_job", { job: "job-x", wait_seconds: 1 }), await notesOf("stop_job", { job: "job-x" })];
  for (const notes of [read, stopped]) {
    expect(notes.slice(0, 3)).toEqual(JUDGED);
    expect(notes.slice(3)).not.toContain("still");
  }
  expect(read.slice(3)).toContain("read-job");
  expect(stopped.slice(3)).toContain("stop-job");
});
