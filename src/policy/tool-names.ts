/** The tools that Warder brings, each with the other names that a model may call it by. The registry's tools take theirs from here. */
export const TOOL_NAMES = {
  agent: ["delegate", "sub_agent"],
  agent_crew: [],
  code: [],
  code_rewrite: [],
  edit_file: [],
  glob_search: ["glob"],
  grep_search: ["grep", "search"],
  http_request: [],
  language_server: ["lsp"],
  list_files: [],
  list_jobs: [],
  plan_done: ["switch_to_execution"],
  powershell: ["pwsh"],
  read_artifact: [],
  read_file: ["read", "fs_read", "file_read"],
  read_job: [],
  rename_symbol: [],
  repl: [],
  shell: ["bash", "execute_cmd"],
  start_job: [],
  stop_job: [],
  structured_output: [],
  web_fetch: ["fetch", "fetch_url"],
  write_file: ["fs_write", "file_write"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Those that give tasks to sub-agents. */
export const DELEGATES: ReadonlySet<string> = new Set(["agent", "agent_crew"]);
