import { expect, test } from "vitest";
import { fieldText, readForm, valueOf, type Field } from "../../src/mcp/elicitation.ts";
import { readSampling } from "../../src/mcp/sampling.ts";

const form = (properties: Readonly<Record<string, unknown>>, message = "Which?", more: Readonly<Record<string, unknown>> = {}): unknown => ({
  message,
  requestedSchema: { type: "object", properties },
  ...more,
});
const reason = (params: unknown): string | null => {
  const read = readForm(params);
  return "reason" in read ? read.reason : null;
};
const string = { type: "string" };

test("a form that asks for what nobody gives away is put to nobody, however it is written", () => {
  const SECRETS: readonly unknown[] = [
    form({ password: string }),
    form({ pass_word: string }),
    form({ dbPassword: string }),
    form({ a: { type: "string", title: "API key" } }),
    form({ a: { type: "string", description: "the one-time code that we sent you" } }),
    form({ a: { type: "string", format: "password" } }),
    form({ githubToken: string }),
    form({ a: string }, "Please type your P\u{ff41}ssword"),
    form({ a: string }, "Your pass\u{200b}word, please"),
    form({ a: string }, "Your p\u{430}ssw\u{43e}rd, please"),
    form({ a: string }, "Bitte das Kennwort"),
    form({ a: string }, "Введите пароль"),
    form({ pin: { type: "integer" } }),
    form({ a: string }, "card number and CVC"),
    form({ a: string }, "the recovery phrase of your wallet"),
  ];
  for (const params of SECRETS) expect(reason(params), JSON.stringify(params)).toMatch(/^it asks for a password, a key or the like/u);
  for (const message of ["Which pinboard?", "How many passengers?", "Which keyboard layout?", "Какой город?"])
    expect(reason(form({ a: string }, message))).toBeNull();
});

test("what is no short form of plain questions is put to nobody", () => {
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`a${String(index)}`, string]));
  expect(reason(form(many))).toMatch(/more than 6 things/u);
  expect(reason(form({}, "x".repeat(801)))).toMatch(/800 characters/u);
  expect(reason(form({}, "\u{202e}".repeat(700)))).toMatch(/cannot be shown/u);
  expect(reason(form({ a: { type: "object" } }))).toMatch(/of a kind/u);
  expect(reason(form({ "a b\n": string }))).toMatch(/nobody can read/u);
  expect(reason(form({ a: { type: "string", enum: Array.from({ length: 21 }, String) } }))).toMatch(/no short list/u);
  expect(reason(form({ a: { type: "string", enum: ["x\u{202e}", "x\u{202e}"] } }))).toMatch(/no short list/u);
  expect(reason({ mode: "url", message: "Go there", url: "https://evil.example", elicitationId: "1" })).toMatch(/to an address/u);
  for (const params of [null, 7, [], {}, { message: 7 }]) expect(reason(params)).toMatch(/no text/u);
  expect(readForm({ message: 'Really?" No.', requestedSchema: null })).toEqual({ message: "Really?' No.", fields: [] });
});

test("a person's words become what a field takes, or are not sent", () => {
  const read = readForm(
    form({
      count: { type: "integer" },
      price: { type: "number" },
      sure: { type: "boolean" },
      seat: {
        type: "string",
        oneOf: [
          { const: "a", title: "Aisle" },
          { const: "w", title: "Window" },
        ],
      },
      days: { type: "array", items: { enum: ["mo", "tu", "we"] } },
      note: string,
    }),
  );
  if ("reason" in read) throw new Error(read.reason);
  const field = (name: string): Field => read.fields.find((each) => each.name === name) as Field;
  expect(read.fields.map(fieldText)).toEqual([
    { text: "count (a whole number) (- leaves it out)", choices: [] },
    { text: "price (a number) (- leaves it out)", choices: [] },
    { text: "sure (yes or no) (- leaves it out)", choices: ["yes", "no"] },
    { text: "seat (one of: Aisle, Window) (- leaves it out)", choices: ["Aisle", "Window"] },
    { text: "days (some of: mo, tu, we; with commas between them) (- leaves it out)", choices: [] },
    { text: "note (- leaves it out)", choices: [] },
  ]);
  expect(valueOf(field("count"), " 3 ")).toEqual({ value: 3 });
  expect(valueOf(field("count"), "3.5")).toEqual({ problem: "it is no whole number" });
  expect(valueOf(field("price"), "-3.5")).toEqual({ value: -3.5 });
  expect(valueOf(field("price"), "1e9")).toEqual({ problem: "it is no number" });
  expect(valueOf(field("sure"), "Yes")).toEqual({ value: true });
  expect(valueOf(field("sure"), "go on")).toEqual({ problem: "it is neither yes nor no" });
  expect(valueOf(field("seat"), "Window")).toEqual({ value: "w" });
  expect(valueOf(field("seat"), "roof")).toEqual({ problem: "it is none of the choices" });
  expect(valueOf(field("days"), "mo, we")).toEqual({ value: ["mo", "we"] });
  expect(valueOf(field("days"), "mo, su")).toEqual({ problem: "not all of it are choices" });
  expect(valueOf(field("note"), "-")).toEqual({ value: undefined });
  expect(valueOf({ ...field("note"), isRequired: true }, "-")).toEqual({ value: "-" });
  expect(valueOf(field("note"), `use ghp_${"a".repeat(36)}`)).toEqual({ problem: "it looks like a key or a token, which no server is given" });
});

test("what a server takes for usual is shown, and sent where a person leaves it so", () => {
  const read = readForm(form({ name: { type: "string", default: "Ann" }, sure: { type: "boolean", default: true }, odd: { type: "integer", default: "x" } }));
  if ("reason" in read) throw new Error(read.reason);
  expect(read.fields.map((field) => [fieldText(field).text, valueOf(field, "-")])).toEqual([
    ["name (- takes Ann)", { value: "Ann" }],
    ["sure (yes or no) (- takes yes)", { value: true }],
    ["odd (a whole number) (- leaves it out)", { value: undefined }],
  ]);
  const hidden = readForm(form({ note: { type: "string", default: `ghp_${"a".repeat(36)}` } }));
  expect("fields" in hidden && hidden.fields[0]?.usual).toBeUndefined();
});

test("what a server wants written is texts within limits, and nothing else of it counts", () => {
  const text = (words: unknown): unknown => ({ role: "user", content: { type: "text", text: words } });
  expect(readSampling({ messages: [text("Rhyme.")], systemPrompt: "Be brief.", maxTokens: 10, includeContext: "allServers", tools: [{}] })).toEqual({
    system: "Be brief.",
    messages: [{ role: "user", text: "Rhyme." }],
    maxTokens: 10,
  });
  for (const maxTokens of [1_000_000, -1, "x", undefined]) expect(readSampling({ messages: [text("x")], maxTokens })).toMatchObject({ maxTokens: 4_096 });
  const no = (messages: unknown, systemPrompt: unknown = ""): unknown => (readSampling({ messages, systemPrompt }) as { readonly reason?: string }).reason;
  expect(no([text("x".repeat(20_001))])).toMatch(/longer than 20000/u);
  expect(no([text("x")], "y".repeat(20_000))).toMatch(/longer than 20000/u);
  expect(no(Array.from({ length: 21 }, () => text("x")))).toMatch(/20 messages/u);
  expect(no([{ role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } }])).toMatch(/no text/u);
  expect(no([{ role: "assistant", content: { type: "text", text: "I will" } }])).toMatch(/not the user's/u);
  for (const messages of [null, [], [null], [{ role: "system", content: { type: "text", text: "x" } }]]) expect(no(messages)).toBeDefined();
});
