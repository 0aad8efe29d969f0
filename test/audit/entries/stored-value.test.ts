import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redactSecrets, redactTokens } from "../../../src/audit/entries/redact.ts";
import { storedValue } from "../../../src/audit/entries/stored-value.ts";
import { canonicalJson, sha256 } from "../../../src/base/digest.ts";

// Made up, and put together here so that no scanner takes this file for a leak.
const join = (...parts: readonly string[]): string => parts.join("");
const SECRETS: Record<string, string> = {
  "AWS key id": join("AKIA", "ABCDEFGHIJKLMNOP"),
  "GitHub token": join("ghp_", "a".repeat(36)),
  "GitLab token": join("glpat-", "a1".repeat(12)),
  "Slack token": join("xoxb-", "1234567890-abcdef"),
  "npm token": join("npm_", "b".repeat(36)),
  "model key": join("sk-", "ant-api03-", "c".repeat(30)),
  JWT: join("eyJ", "hbGciOiJI.eyJ", "zdWIiOiIx.c2lnbmF0dXJl"),
  "private key": join("-----BEGIN RSA PRIVATE", " KEY-----\nMIIE\n-----END RSA PRIVATE", " KEY-----"),
};

describe("redaction", () => {
  test.each(Object.keys(SECRETS))("takes out a %s, for the log and for the model", (name) => {
    const secret = SECRETS[name] ?? "";
    for (const redact of [redactSecrets, redactTokens]) expect(redact(`before ${secret} after`)).toBe(`before [redacted: ${name}] after`);
  });

  test.each([
    ["Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer [redacted: authorization]"],
    ["curl https://ann:hunter22@example.com/", "curl https://ann:[redacted: password in a URL]@example.com/"],
    ["DB_PASSWORD=correct-horse npm test", "DB_PASSWORD=[redacted: secret value] npm test"],
    ['{"api_key": "0123456789"}', '{"api_key": "[redacted: secret value]"}'],
  ])("takes out what is called a secret, for the log: %s", (text, expected) => {
    expect(redactSecrets(text)).toBe(expected);
    expect(redactTokens(text)).toBe(text);
  });

  test.each([
    "git commit -m 'add token check'",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "ls risk-of-a-very-long-kebab-case-name",
    "const password = '';",
  ])("leaves ordinary text: %s", (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  test("answers for any text", () => {
    expect(() => fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => typeof redactSecrets(text) === "string"))).not.toThrow();
  });

  // As much as one result may carry. A search that takes the square of the length would stand still for minutes: no timer, no stop switch.
  test.each([
    "-----BEGIN PRIVATE KEY-----",
    "password",
    "-password",
    "sk-",
    "a_",
    "a.",
    "a-",
    "https://",
    "http://a:",
    "eyJaaaaaaaa.",
    "eyJaaaaaaaa-",
    "basic  ",
  ])("goes once through a hostile text of %s", { retry: 2 }, (part) => {
    // Eight times the text takes about as long as the text eight times, and eight times as long where each beginning is followed to the end. Both take
    // about equally long, for on a busy machine what takes longer is interrupted more often.
    for (const redact of [redactSecrets, redactTokens]) {
      const [short, long] = [10_000, 80_000].map((length) => part.repeat(Math.ceil(length / part.length)));
      const eightTimesMs = shortestMs(() => {
        for (let time = 0; time < 8; time += 1) redact(short ?? "");
      });
      expect(shortestMs(() => redact(long ?? "")) / eightTimesMs).toBeLessThan(4);
    }
  });
});

function shortestMs(work: () => unknown): number {
  const times = Array.from({ length: 5 }, () => {
    const startedMs = performance.now();
    work();
    return performance.now() - startedMs;
  });
  return Math.min(...times);
}

describe("what is stored of a value", () => {
  test("a short text whole, a long one by its hash and beginning", () => {
    const long = "line\n".repeat(1_000);
    expect(storedValue({ path: "a", content: long }, redactSecrets)).toEqual({
      path: "a",
      content: { sha256: sha256(long), characters: 5_000, preview: long.slice(0, 400) },
    });
  });

  test("the beginning of a very long text without the secrets that stand there", () => {
    const secret = SECRETS["GitHub token"] ?? "";
    const long = `${secret} ${"a-".repeat(5_000_000)}`;
    expect(storedValue(long, redactSecrets)).toMatchObject({
      sha256: sha256(long),
      characters: long.length,
      preview: expect.not.stringContaining("ghp_") as string,
    });
  });

  test("always has a canonical JSON form, whatever a model sent", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withNullPrototype: true,
          withObjectString: true,
          withSparseArray: true,
          withTypedArray: true,
          stringUnit: "binary",
        }),
        (value) => {
          const text = canonicalJson(storedValue(value, redactSecrets) ?? null);
          expect(text.isWellFormed()).toBe(true);
        },
      ),
    );
  });

  test("no secret survives in keys or nested values", () => {
    const secret = SECRETS["GitHub token"] ?? "";
    expect(JSON.stringify(storedValue({ [secret]: [{ deep: `x ${secret}` }] }, redactSecrets))).not.toContain(secret);
  });
});
