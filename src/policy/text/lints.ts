/** What `warder policy check` warns of. The names stand in reports of CI, so none is ever renamed. */
export const LINTS = {
  "over-broad": "A rule also allows what its author can hardly mean.",
  "never-decides": "A stricter rule speaks about every command of it.",
  redundant: "Something else says the same already.",
  "idle-exception": "The rule is about no command of its exception.",
  "idle-condition": "Its `when` never holds.",
  "looser-than-parent": "What is extended says it more strictly, and that holds.",
  expired: "Its last day is over.",
  "expires-soon": "Its last day comes within two weeks.",
  unowned: "Other rules of the file have an owner, and this one has none.",
  "unknown-tool": "No tool of this version has the name.",
  "unknown-program": "No program is known by the name, and one that is known is spelled nearly so.",
  "open-registry": "A registry of packages is open as a host.",
} as const satisfies Readonly<Record<string, string>>;

export type LintCode = keyof typeof LINTS;
