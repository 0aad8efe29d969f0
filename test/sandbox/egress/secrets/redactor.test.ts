import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { createRedactor } from "../../../../src/sandbox/egress/secrets/redactor.ts";

const ID = "a-token";

/** A body through the redactor, cut at these places. */
async function streamed(secrets: ReadonlyMap<string, string>, body: string, cuts: readonly number[]): Promise<string> {
  const stream = createRedactor(secrets)!.stream();
  const ends = [...new Set([...cuts.map((cut) => cut % (body.length + 1)), body.length])].toSorted((one, other) => one - other);
  let from = 0;
  for (const end of ends) {
    stream.write(Buffer.from(body.slice(from, end), "latin1"));
    from = end;
  }
  stream.end();
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("latin1");
}

const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const blank = fc.constantFrom(" ", "\n", "\t");
const secret = fc
  .string({ unit: fc.oneof({ weight: 9, arbitrary: printable }, { weight: 1, arbitrary: blank }), minLength: 8, maxLength: 40 })
  .filter((text) => !text.startsWith(" "));
const noise = fc.string({ unit: fc.oneof(printable, fc.constantFrom("%", "\\", "&", "\0", "\n", " ")), maxLength: 30 });
const forms: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => Buffer.from(text).toString("base64"),
  (text) => Buffer.from(text).toString("hex"),
  (text) => encodeURIComponent(text),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(Buffer.from(text).toString("base64").replaceAll(/.{5}/gu, "$&\n"))).slice(3, -3),
  (text) => new URLSearchParams({ text }).toString().slice(5),
  (text) => [...text].map((character, index) => (index % 2 === 0 ? character : `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`)).join(""),
];

test("takes a secret out in any form, between anything, cut anywhere, and the cuts make no difference", async () => {
  await fc.assert(
    fc.asyncProperty(secret, fc.constantFrom(...forms), fc.tuple(noise, noise), fc.array(fc.nat(), { maxLength: 6 }), async (value, form, around, cuts) => {
      const secrets = new Map([[ID, value]]);
      const body = around.join(` ${form(value)} `);
      const whole = createRedactor(secrets)!.text(body);
      expect(whole).toContain(`[redacted: ${ID}]`);
      expect(whole.toLowerCase()).not.toContain(value.toLowerCase());
      expect(await streamed(secrets, body, cuts)).toBe(whole);
    }),
    { numRuns: 3000 },
  );
});

test("leaves bytes without a secret as they are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(), { maxLength: 6 }), async (bytes, cuts) => {
      const body = Buffer.from(bytes).toString("latin1");
      expect(await streamed(new Map([[ID, "a value that is not there".replaceAll(" ", "-")]]), body, cuts)).toBe(body);
    }),
  );
});

test("takes the longer one of two secrets that begin alike", async () => {
  const secrets = new Map([
    ["short", "abcdefgh"],
    ["long", "abcdefghijkl"],
  ]);
  for (let cut = 0; cut <= 12; cut += 1) {
    expect(await streamed(secrets, "abcdefghijkl", [cut])).toBe("[redacted: long]");
    expect(await streamed(secrets, "abcdefghijkX", [cut])).toBe("[redacted: short]ijkX");
  }
});

test("finds a secret that begins within what looked like one", async () => {
  expect(await streamed(new Map([[ID, "aaaaaaab"]]), "aaaaaaaaaab", [3, 9])).toBe(`aaa[redacted: ${ID}]`);
});

test("without a secret there is nothing to take out", () => {
  expect(createRedactor(new Map())).toBeNull();
});

test("decodes each place of a text once, however many secrets are compared with it", () => {
  const names = ["correct-horse", "cc-token-123", "chalk-123456", "c0ffee-12345"];
  const redactor = createRedactor(new Map(names.map((name) => [name, name])));
  const times = 1000;
  const decodings = vi.spyOn(RegExp.prototype, "exec");
  try {
    expect(redactor?.text("%63".repeat(times))).toBe("%63".repeat(times));
    // Four forms of a character behind a percent sign, the search for where one begins, and for what may stand between two in each pattern.
    expect(decodings.mock.calls.length).toBeLessThan(22 * times);
  } finally {
    decodings.mockRestore();
  }
});
