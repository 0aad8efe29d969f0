import { expect, test } from "vitest";
import { namesCalled } from "../../../src/app/run/journal.ts";
import { resultText, type ToolContext } from "../../../src/tools/contract/tool.ts";
import { toolSearch, type ToolSearch } from "../../../src/tools/run/tool-search.ts";

const named = (name: string, description = "") => ({ name, description });
const many = (count: number, of = "thing") => Array.from({ length: count }, (_, at) => named(`${of}_${String(at).padStart(3, "0")}`));
const SEARCH = named("tool_search");
const WARDERS = [named("shell"), SEARCH];
const namesOf = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

async function find({ tool }: ToolSearch, query: string): Promise<string> {
  return resultText(await tool.execute({ query }, {} as ToolContext));
}

test("finds tools by words of names and descriptions, the best first, and shows them from then on", async () => {
  const own = [...many(40), named("create_invoice", "Writes a bill."), named("send_mail", "Sends an invoice by mail."), named("weather", "Forecasts.")];
  const search = toolSearch(own, () => null);
  const offered = [...WARDERS, ...own];
  expect(namesOf(search.shown(offered))).toEqual(["shell", "tool_search"]);
  expect(await find(search, "INVOICES, please")).toBe("From now on you have: create_invoice, send_mail");
  expect(await find(search, "forecast")).toBe("From now on you have: weather");
  expect(namesOf(search.shown(offered))).toEqual(["shell", "tool_search", "create_invoice", "send_mail", "weather"]);
  expect(await find(search, "zebra (.*) __proto__")).toBe("No tool is found by these words. Try others.");
  expect((await find(search, "thing")).split(", ")).toHaveLength(8);
});

test("shows all where they are few, or where nobody may search", () => {
  const search = toolSearch(many(60), () => null);
  expect(namesOf(search.shown([...WARDERS, ...many(39)]))).toEqual(["shell", ...namesOf(many(39))]);
  expect(search.shown([...WARDERS, ...many(40)])).toEqual(WARDERS);
  expect(search.shown([named("shell"), ...many(60)])).toHaveLength(61);
});

test("finds no tool that is not offered, and shows none that is not", async () => {
  const search = toolSearch([...many(60), named("secret_door")], (name) => (name === "secret_door" ? "Not here." : null));
  expect(await find(search, "secret door")).toContain("No tool is found");
  search.show(["secret_door", "shell", "unknown"]);
  expect(search.shown([...WARDERS, ...many(60)])).toEqual(WARDERS);
});

test("keeps those that were found last", () => {
  const search = toolSearch(many(100), () => null);
  search.show(namesOf(many(100)));
  search.show(["thing_036"]);
  const shown = namesOf(search.shown([...WARDERS, ...many(100)]));
  expect(shown).toHaveLength(66);
  expect([shown.includes("thing_035"), shown.includes("thing_036"), shown.includes("thing_099")]).toEqual([false, true, true]);
});

test("a conversation that goes on knows the tools that it called", () => {
  const call = (name: string) => ({ kind: "tool-call", callId: name, name, input: {} }) as const;
  const usage = { inputTokens: 0, outputTokens: 0 };
  const steps = [{ kind: "message", parts: [call("weather"), { kind: "text", text: "x" }, call("shell")], text: "", usage, problems: {}, elapsedMs: 0 }];
  expect(namesCalled(steps as unknown as Parameters<typeof namesCalled>[0])).toEqual(["weather", "shell"]);
});
