import { expect, test } from "vitest";
import { namesCalled } from "../../../src/app/run/journal.ts";
import { resultText, type ToolContext } from "../../../src/tools/contract/tool.ts";
import { BUILT_IN_TOOLS, createRegistry, shownDefinitions } from "../../../src/tools/registry.ts";
import { RARE, toolSearch, type ToolSearch } from "../../../src/tools/run/tool-search.ts";

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
  const search = toolSearch({ others: own, rare: [] }, () => null);
  const offered = [...WARDERS, ...own];
  expect(namesOf(search.shown(offered))).toEqual(["shell", "tool_search"]);
  expect(await find(search, "INVOICES, please")).toBe("From now on you have: create_invoice, send_mail");
  expect(await find(search, "forecast")).toBe("From now on you have: weather");
  expect(namesOf(search.shown(offered))).toEqual(["shell", "tool_search", "create_invoice", "send_mail", "weather"]);
  expect(await find(search, "zebra (.*) __proto__")).toBe("No tool is found by these words. Try others.");
  expect((await find(search, "thing")).split(", ")).toHaveLength(8);
});

test("shows all where they are few, or where nobody may search", () => {
  const search = toolSearch({ others: many(60), rare: [] }, () => null);
  expect(namesOf(search.shown([...WARDERS, ...many(39)]))).toEqual(["shell", ...namesOf(many(39))]);
  expect(search.shown([...WARDERS, ...many(40)])).toEqual(WARDERS);
  expect(search.shown([named("shell"), ...many(60)])).toHaveLength(61);
});

const RARELY = [named("notebook_edit", "Changes a cell."), named("sleep", "Waits.")];

test("of Warder's own, those that are rarely used are held back where there are more than twenty, and named", async () => {
  const search = toolSearch({ others: [], rare: RARELY }, () => null);
  const described = { name: "tool_search", description: "Finds." };
  const offered = [...many(19), ...RARELY, described];
  const shown = search.shown(offered);
  expect(namesOf(shown)).toEqual([...namesOf(many(19)), "tool_search"]);
  expect(shown.at(-1)?.description).toBe("Finds. Among them: notebook_edit, sleep.");
  expect(namesOf(search.shown([...many(18), ...RARELY, described]))).toEqual([...namesOf(many(18)), "notebook_edit", "sleep"]);
  expect(await find(search, "the a of")).toContain("No tool is found");
  expect(await find(search, "notebook_edit")).toBe("From now on you have: notebook_edit");
  // Nothing else changes: not what it says of itself, and not the order.
  expect(search.shown(offered)).toEqual([...many(19), RARELY[0], shown.at(-1)]);
  expect(namesOf(search.shown(offered.filter(({ name }) => name !== "sleep" && name !== "notebook_edit")))).toEqual(namesOf(many(19)));
});

test("a turn of a run that nobody configured pays for twenty thousand characters of tools at most", () => {
  const rare = BUILT_IN_TOOLS.filter(({ name }) => RARE.has(name));
  expect(rare).toHaveLength(RARE.size);
  const search = toolSearch({ others: [], rare }, () => null);
  const lacking = new Set(["ask_user", "browser", "cron_add", "cron_list", "cron_remove", "powershell", "skill", "web_search"]);
  const offered = createRegistry([...BUILT_IN_TOOLS, search.tool]).toolDefinitions((name) => !lacking.has(name));
  const shown = JSON.stringify(shownDefinitions(search.shown(offered), offered));
  expect(shown.length).toBeLessThan(20_000);
  // What is not shown can be found, and called by a script.
  expect(shown).toContain("Among them: agent_apart, agent_crew, agent_merge, code_rewrite, ");
  expect(shown).toContain("  notebook_edit(input: {");
});

test("what is held back has the same bytes from turn to turn, until something is found", async () => {
  const search = toolSearch({ others: many(60), rare: RARELY }, () => null);
  const offered = [...many(60), ...RARELY, SEARCH];
  const before = JSON.stringify(search.shown(offered));
  expect(await find(search, "nothing like it")).toContain("No tool");
  expect(JSON.stringify(search.shown(offered))).toBe(before);
});

test("finds no tool that is not offered, and shows none that is not", async () => {
  const search = toolSearch({ others: [...many(60), named("secret_door")], rare: [] }, (name) => (name === "secret_door" ? "Not here." : null));
  expect(await find(search, "secret door")).toContain("No tool is found");
  search.show(["secret_door", "shell", "unknown"]);
  expect(search.shown([...WARDERS, ...many(60)])).toEqual(WARDERS);
});

test("keeps those that were found last", () => {
  const search = toolSearch({ others: many(100), rare: [] }, () => null);
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
