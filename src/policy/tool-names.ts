/** The tools that Warder brings, each with the other names that a model may call it by. The registry's tools take theirs from here. */
export const TOOL_NAMES = {
  agent: ["delegate", "sub_agent", "task"],
  agent_apart: [],
  agent_crew: [],
  agent_merge: [],
  apply_patch: ["patch"],
  ask_user: ["ask_user_question", "ask_followup_question"],
  browser: [],
  code: [],
  code_rewrite: [],
  config: ["get_config"],
  cron_add: ["schedule_add"],
  cron_list: ["schedule_list"],
  cron_remove: ["schedule_remove"],
  edit_file: ["edit", "fs_edit", "file_edit", "multi_edit", "multiedit", "replace", "search_replace", "str_replace", "replace_in_file"],
  glob_search: ["glob", "file_search"],
  grep_search: ["grep", "search", "search_file_content", "search_files"],
  http_request: [],
  language_server: ["lsp"],
  list_files: ["ls", "list", "list_dir", "list_directory"],
  list_jobs: [],
  memory_forget: [],
  memory_recall: [],
  memory_store: [],
  notebook_edit: ["edit_notebook", "edit_notebook_cell"],
  plan_done: ["switch_to_execution"],
  powershell: ["pwsh"],
  read_artifact: [],
  read_file: ["read", "fs_read", "file_read", "read_many_files", "read_multiple_files", "view_image"],
  read_job: ["bash_output"],
  rename_symbol: [],
  repl: [],
  script: ["code_mode"],
  send_user_message: ["message_user", "notify_user"],
  shell: ["bash", "execute_cmd", "execute_command", "exec_command", "local_shell", "run_command", "run_shell_command", "run_terminal_cmd"],
  skill: ["load_skill", "use_skill"],
  sleep: ["wait"],
  start_job: [],
  stop_job: ["kill_bash", "kill_shell"],
  structured_output: [],
  todo_write: ["todowrite", "update_plan", "write_todos"],
  tool_search: ["search_tools"],
  web_fetch: ["fetch", "fetch_url"],
  web_search: ["google_web_search"],
  write_file: ["write", "fs_write", "file_write", "create_file", "write_to_file"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Those that give tasks to sub-agents. */
export const DELEGATES: ReadonlySet<string> = new Set(["agent", "agent_apart", "agent_crew"]);

/** `TodoWrite` → `todo_write`: agents whose tools are named like this taught their models so, and people who write policies. Any other text is as it is. */
export function lowerName(name: string): string {
  if (!/^(?:[A-Z][a-z]+){1,6}$|^LS$/u.test(name)) return name;
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/gu, "_").toLowerCase();
}
