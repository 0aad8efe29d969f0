import { expect, test } from "vitest";
import { together } from "../../../src/gate/facts/together.ts";

type Fact = { readonly path: string; readonly asked: number; readonly error?: string };

/** Answers a turn of the event loop later. A path that is `bad` fails its whole question, as one that is too long does. */
function source() {
  const questions: (readonly string[])[] = [];
  const ask = together<Fact>(async (paths) => {
    questions.push(paths);
    const asked = questions.length;
    await new Promise((resolve) => void setImmediate(resolve));
    if (paths.includes("thrown")) throw new Error("lost");
    return paths.map((path) => ({ path, asked, ...(paths.includes("bad") ? { error: "refused" } : {}) }));
  });
  return { ask, questions };
}

test("what is asked while a question is under way is one question, sent after it was asked; each has its own facts", async () => {
  const { ask, questions } = source();
  const answers = await Promise.all([ask(["a"]), ask(["b", "c"]), ask([]), ask(["d"])]);
  expect(questions).toEqual([["a"], ["b", "c", "d"]]);
  expect(answers.map((facts) => facts.map(({ path }) => path))).toEqual([["a"], ["b", "c"], [], ["d"]]);
});

test("an answer is never older than its question", async () => {
  const { ask, questions } = source();
  const first = ask(["a"]);
  const sent = questions.length;
  const [again] = await ask(["a"]);
  expect(again?.asked).toBeGreaterThan(sent);
  await first;
});

test.each(["bad", "thrown"])("a path that is %s fails nobody else's question", async (path) => {
  const { ask } = source();
  const [, , good, failing] = await Promise.allSettled([ask(["a"]), ask(["b"]), ask(["c"]), ask([path])]);
  expect(good).toMatchObject({ status: "fulfilled", value: [{ path: "c" }] });
  expect(good?.status === "fulfilled" && good.value[0]?.error).toBeUndefined();
  expect(failing).toMatchObject(path === "bad" ? { status: "fulfilled", value: [{ error: "refused" }] } : { status: "rejected" });
});
