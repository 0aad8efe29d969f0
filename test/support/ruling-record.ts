/** What the log keeps of a ruling on a call of the shell, but for what a test says otherwise. */
export const RULING = {
  kind: "ruling",
  call: "call-1",
  tool: "shell",
  input: {},
  ruling: "r",
  policy: "p",
  verdict: "allow",
  risk: "low",
  reason: "",
  rules: [],
  units: [],
  measured: "session",
  image: null,
  profile: null,
} as const;
