import { AgentError } from "../base/errors.ts";
import { codeTool } from "./code/code.ts";
import { languageServerTool } from "./code/language-server.ts";
import { renameSymbolTool } from "./code/rename.ts";
import { codeRewriteTool } from "./code/rewrite.ts";
import { cronAddTool } from "./schedule/cron-add.ts";
import { cronListTool } from "./schedule/cron-list.ts";
import { cronRemoveTool } from "./schedule/cron-remove.ts";
import { editFileTool } from "./files/edit.ts";
import { globSearchTool } from "./search/glob.ts";
import { grepSearchTool } from "./search/grep.ts";
import { type JsonSchema, toInputSchema } from "./contract/json-schema.ts";
import { listFilesTool } from "./files/list.ts";
import { listJobsTool } from "./commands/list-jobs.ts";
import { agentTool } from "./crew/agent.ts";
import { agentApartTool } from "./crew/agent-apart.ts";
import { agentCrewTool } from "./crew/agent-crew.ts";
import { agentMergeTool } from "./crew/agent-merge.ts";
import { memoryForgetTool } from "./memory/forget.ts";
import { memoryRecallTool } from "./memory/recall.ts";
import { memoryStoreTool } from "./memory/store.ts";
import { readArtifactTool } from "./run/read-artifact.ts";
import { askUserTool } from "./run/ask-user.ts";
import { sendUserMessageTool } from "./run/send-user-message.ts";
import { configTool } from "./run/config.ts";
import { skillTool } from "./run/skill.ts";
import { sleepTool } from "./run/sleep.ts";
import { readFileTool } from "./files/read.ts";
import { powershellTool } from "./commands/powershell.ts";
import { readJobTool } from "./commands/read-job.ts";
import { replTool } from "./commands/repl.ts";
import { SCRIPT, scriptTool } from "./run/script.ts";
import { toolDeclarations } from "./contract/declarations.ts";
import { shellTool } from "./commands/shell.ts";
import { startJobTool } from "./commands/start-job.ts";
import { stopJobTool } from "./commands/stop-job.ts";
import { ownTool } from "./contract/own-tool.ts";
import { lowerName } from "../policy/tool-names.ts";
import type { Tool } from "./contract/tool.ts";
import { browserTool } from "./web/browser.ts";
import { httpRequestTool } from "./web/http-request.ts";
import { webFetchTool } from "./web/fetch.ts";
import { webSearchTool } from "./web/search.ts";
import { writeFileTool } from "./files/write.ts";
import { applyPatchTool } from "./files/apply-patch.ts";
import { notebookEditTool } from "./files/notebook-edit.ts";
import { todoWriteTool } from "./run/todo-write.ts";

/** What a model is told about one tool. */
export type ToolDefinition = { readonly name: string; readonly description: string; readonly inputSchema: JsonSchema };

export type ToolRegistry = {
  /** By canonical name or alias, also where that is written as `ReadFile`. */
  find(name: string): Tool | undefined;
  /** At most three names that are spelled like `name`, the nearest first. */
  near(name: string): readonly string[];
  /** Canonical names, sorted. */
  readonly names: readonly string[];
  /** Sorted by name, and byte-identical whenever they are asked for, so that a provider's prompt cache holds. */
  toolDefinitions(isOffered?: (name: string) => boolean): readonly ToolDefinition[];
};

// A list of tools with different schemas: `execute` takes its own input only, which the decoder guarantees.
export type AnyTool = Omit<Tool<never>, "schema"> & Pick<Tool, "schema">;

/** The tools that need nothing but the session. */
export const BUILT_IN_TOOLS: readonly AnyTool[] = [
  shellTool,
  replTool,
  powershellTool,
  readFileTool,
  writeFileTool,
  editFileTool,
  applyPatchTool,
  notebookEditTool,
  todoWriteTool,
  listFilesTool,
  globSearchTool,
  grepSearchTool,
  codeTool,
  codeRewriteTool,
  languageServerTool,
  renameSymbolTool,
  webFetchTool,
  httpRequestTool,
  webSearchTool,
  browserTool,
  startJobTool,
  readJobTool,
  stopJobTool,
  listJobsTool,
  readArtifactTool,
  agentTool,
  agentApartTool,
  agentCrewTool,
  agentMergeTool,
  memoryStoreTool,
  memoryRecallTool,
  memoryForgetTool,
  scriptTool,
  askUserTool,
  sendUserMessageTool,
  sleepTool,
  skillTool([]),
  configTool,
  cronAddTool,
  cronListTool,
  cronRemoveTool,
];

const OWN = /^[a-z][a-z0-9_]{0,63}$/u;
/** `SERVER__TOOL`, as the server or the document writes it. */
const OF_SERVER = /^(?=.{1,64}$)[a-z][a-z0-9_]*__[A-Za-z0-9_-]+$/u;

/**
 * `own`: tools of a program that embeds Warder. Whatever else they ask for, calling one is itself judged, by its name; so is one `ofServers`, of MCP. One `ofApis` is judged as
 * the request that it makes. Throws `bad-configuration` when two tools share a name or an alias.
 */
export function createRegistry(
  tools: readonly AnyTool[] = BUILT_IN_TOOLS,
  own: readonly AnyTool[] = [],
  ofServers: readonly AnyTool[] = [],
  ofApis: readonly AnyTool[] = [],
): ToolRegistry {
  const byName = new Map<string, Tool>();
  const foreign = new Set([...ofServers, ...ofApis].map(({ name }) => name));
  for (const tool of [...tools, ...[...own, ...ofServers].map(ownTool), ...ofApis] as unknown as readonly Tool[]) {
    for (const name of [tool.name, ...tool.aliases]) {
      if (!(foreign.has(tool.name) ? OF_SERVER : OWN).test(name))
        throw new AgentError("bad-configuration", `A tool cannot be called ${JSON.stringify(name)}: use lower-case letters, digits and _.`);
      if (byName.has(name)) throw new AgentError("bad-configuration", `Two tools are called ${name}.`);
      byName.set(name, tool);
    }
  }
  const names = [...new Set([...byName.values()].map((tool) => tool.name))].toSorted();
  // Those of others are looked at now, the built-in ones when a model is told of them.
  const builtIn: ReadonlySet<unknown> = new Set(BUILT_IN_TOOLS);
  for (const tool of byName.values()) if (!builtIn.has(tool)) define(tool);
  let definitions: readonly ToolDefinition[] | null = null;
  const defined = (): readonly ToolDefinition[] => (definitions ??= names.flatMap((name) => byName.get(name) ?? []).map(define));
  return {
    find: (name) => byName.get(name) ?? byName.get(lowerName(name)),
    near: (name) => nearNames(name, [...byName.keys()]),
    names,
    toolDefinitions: (isOffered = () => true) => defined().filter((definition) => isOffered(definition.name)),
  };
}

/** Of the run itself, and not of what it works on: a script neither gives its result, nor leaves its plan, nor runs another. */
const NOT_IN_SCRIPTS: ReadonlySet<string> = new Set([SCRIPT, "structured_output", "plan_done"]);

/** Whether a script may call a tool, by its canonical name. */
export const isCallableInScripts = (name: string): boolean => !NOT_IN_SCRIPTS.has(name);

/**
 * Of the tools that are offered, those that a model is shown now. It knows the types of what a script may call: of these by their schemas; of the others, which
 * a script may call as well, the script's own description declares them.
 */
export function shownDefinitions(shown: readonly ToolDefinition[], offered: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const names = new Set(shown.map(({ name }) => name));
  const others = offered.filter(({ name }) => !names.has(name) && isCallableInScripts(name));
  if (others.length === 0) return shown;
  return shown.map((definition) => {
    if (definition.name !== SCRIPT) return definition;
    return Object.freeze({ ...definition, description: `${definition.description} Also tools that you are not shown:\n\n${toolDeclarations(others)}` });
  });
}

function define(tool: Tool): ToolDefinition {
  return Object.freeze({ name: tool.name, description: tool.description, inputSchema: toInputSchema(tool.schema, tool.name) });
}

function nearNames(name: string, known: readonly string[]): readonly string[] {
  const wanted = name.slice(0, 64).toLowerCase();
  return known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate) }))
    .filter(({ candidate, distance }) => distance <= 3 || candidate.includes(wanted) || (wanted.length > 3 && wanted.includes(candidate)))
    .toSorted((left, right) => left.distance - right.distance || (left.candidate < right.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1];
    for (const [column, other] of [...right].entries()) {
      next.push(Math.min((row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1, (row[column] ?? 0) + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
