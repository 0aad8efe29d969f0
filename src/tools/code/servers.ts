/** A language server: the command that starts it in the sandbox, and what a person installs. */
export type LanguageServer = {
  readonly command: string;
  /** What this server calls the languages that it knows, by Warder's names; the first server that knows one is the default. */
  readonly languages: Readonly<Record<string, string>>;
  /** Whether it is asked for diagnostics, or tells them when a file is opened. */
  readonly diagnostics: "asked" | "told";
  readonly remedy: string;
};

const ECMASCRIPT = { typescript: "typescript", tsx: "typescriptreact", javascript: "javascript" };

/** By the name that a model may say. Their commands are Warder's: a policy names them, and no model words them. */
export const LANGUAGE_SERVERS = {
  tsc: {
    command: "node_modules/.bin/tsc --lsp --stdio",
    languages: ECMASCRIPT,
    diagnostics: "asked",
    remedy:
      "It needs TypeScript 7 in the workspace: npm install --save-dev typescript@7. With an older one, install typescript-language-server and name that as server.",
  },
  "typescript-language-server": {
    command: "node_modules/.bin/typescript-language-server --stdio",
    languages: ECMASCRIPT,
    diagnostics: "told",
    remedy: "It needs two packages in the workspace: npm install --save-dev typescript-language-server typescript.",
  },
  pyright: {
    command: "pyright-langserver --stdio",
    languages: { python: "python" },
    diagnostics: "told",
    remedy: "A person adds pyright to the image (npm install --global pyright).",
  },
  gopls: { command: "gopls serve", languages: { go: "go" }, diagnostics: "told", remedy: "A person adds gopls to the image." },
  clangd: { command: "clangd", languages: { c: "c", cpp: "cpp" }, diagnostics: "told", remedy: "A person adds clangd to the image (apt-get install clangd)." },
  "rust-analyzer": { command: "rust-analyzer", languages: { rust: "rust" }, diagnostics: "asked", remedy: "A person adds rust-analyzer to the image." },
} as const satisfies Readonly<Record<string, LanguageServer>>;

export type ServerName = keyof typeof LANGUAGE_SERVERS;

const SERVERS: readonly (readonly [ServerName, LanguageServer])[] = Object.entries(LANGUAGE_SERVERS) as never;

/** The server that is meant for a language: the named one, else the default; null: none knows it. */
export function serverFor(language: string | null, named: ServerName | undefined): LanguageServer | null {
  const knows = ({ languages }: LanguageServer): boolean => language !== null && Object.hasOwn(languages, language);
  return SERVERS.find(([name, server]) => knows(server) && (named === undefined || name === named))?.[1] ?? null;
}

export function isLanguageServer(command: string): boolean {
  return SERVERS.some(([, server]) => server.command === command);
}
