import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { boundedResult } from "../../../src/gate/calls/bounded-result.ts";
import { createRedaction, secretsIn } from "../../../src/sandbox/redaction.ts";
import { resultText, type ToolResult } from "../../../src/tools/contract/tool.ts";
import { temporaryDirectory } from "../../support/temporary-store.ts";

const result = (text: string): ToolResult => ({ content: [{ kind: "text", text }], isError: false, label: "trusted" });
const spoolIn = (artifacts: string) => ({ artifacts, runId: "run-1", callId: "../../call", maxResultChars: Infinity, redact: (text: string) => text });
const SANDBOX = [{ trust: "untrusted", isSensitive: false, source: "command", call: "call-1", run: "run-1" }] as const;
const textOf = resultText;

describe("a result on its way to the model", () => {
  test("is left as it is when it is short", () => {
    expect(boundedResult(result("hello"), spoolIn(temporaryDirectory()), () => [])).toEqual(result("hello"));
  });

  test("is cut to 400 KB on character boundaries, and the whole is kept where the text says", () => {
    const artifacts = temporaryDirectory();
    const whole = `first ${"ä€𝄞".repeat(60_000)} last`;
    const bounded = boundedResult(result(whole), spoolIn(artifacts), () => SANDBOX);
    const text = textOf(bounded);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(400_000);
    expect(text.startsWith("first ä€𝄞")).toBe(true);
    expect(text.endsWith("ä€𝄞 last")).toBe(true);
    expect(text).not.toContain("\ufffd");
    const file = /whole: (?<file>\S+)\]/u.exec(text)?.groups?.["file"] ?? "none";
    expect(file).toMatch(/^[0-9a-f]{16}$/u);
    expect(readFileSync(join(artifacts, "run-1", `${file}.txt`), "utf8")).toBe(whole);
    expect(statSync(join(artifacts, "run-1", `${file}.txt`)).mode & 0o777).toBe(0o600);
  });

  test("is cut all the same when the whole cannot be kept", () => {
    const file = join(temporaryDirectory(), "file");
    writeFileSync(file, "");
    expect(textOf(boundedResult(result("x".repeat(500_000)), spoolIn(file), () => SANDBOX))).toContain("the whole could not be kept");
  });

  test("loses its tokens, and its trust when it comes out of the sandbox", () => {
    const token = ["ghp_", "a".repeat(36)].join("");
    const parts: ToolResult = {
      content: [
        { kind: "text", text: token },
        { kind: "json", value: { token } },
      ],
      isError: false,
      label: "trusted",
    };
    const bounded = boundedResult(parts, spoolIn(temporaryDirectory()), () => SANDBOX);
    expect(bounded.label).toBe("untrusted");
    expect(textOf(bounded)).not.toContain(token);
  });

  test("loses the values of the run's secret variables, and not those of the others", () => {
    const env = { DEPLOY_TOKEN: "hunter2-hunter2", API_KEY: "short", TZ: "Europe/Berlin" };
    const bounded = boundedResult(
      result("hunter2-hunter2 short Europe/Berlin"),
      { ...spoolIn(temporaryDirectory()), redact: createRedaction(secretsIn(env)).text },
      () => SANDBOX,
    );
    expect(textOf(bounded)).toBe("[redacted: DEPLOY_TOKEN] short Europe/Berlin");
  });
});
