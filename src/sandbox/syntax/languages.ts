/** How a language names what it defines: the kinds of its grammar's nodes that define something, each with a word for a reader. */
export type LanguageTable = {
  readonly grammar: string;
  readonly extensions: readonly string[];
  readonly kinds: Readonly<Record<string, string>>;
  /** Nodes that count only where nothing but the file, or an export, is around them: elsewhere they are local. */
  readonly topLevel?: Readonly<Record<string, string>>;
  /** What `@ast-grep/napi` calls it; absent: it has no grammar for it. */
  readonly pattern?: "Css" | "JavaScript" | "Tsx" | "TypeScript";
};

const ECMASCRIPT = {
  function_declaration: "function",
  generator_function_declaration: "function",
  class_declaration: "class",
  method_definition: "method",
};
const TYPESCRIPT = {
  ...ECMASCRIPT,
  abstract_class_declaration: "class",
  interface_declaration: "interface",
  type_alias_declaration: "type",
  enum_declaration: "enum",
  function_signature: "function",
  method_signature: "method",
  abstract_method_signature: "method",
  internal_module: "namespace",
  module: "namespace",
};
const VARIABLES = { variable_declarator: "variable" };
const C_FAMILY = {
  function_definition: "function",
  class_specifier: "class",
  struct_specifier: "struct",
  union_specifier: "union",
  enum_specifier: "enum",
  namespace_definition: "namespace",
  alias_declaration: "type",
  type_definition: "type",
  concept_definition: "concept",
  preproc_def: "macro",
  preproc_function_def: "macro",
};

/** By the name that a caller may say. Each grammar is one of `@vscode/tree-sitter-wasm`. */
export const LANGUAGES: Readonly<Record<string, LanguageTable>> = {
  bash: { grammar: "bash", extensions: ["sh", "bash", "bats"], kinds: { function_definition: "function" }, topLevel: { variable_assignment: "variable" } },
  c: { grammar: "cpp", extensions: ["c", "h"], kinds: C_FAMILY },
  cpp: { grammar: "cpp", extensions: ["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp"], kinds: C_FAMILY },
  csharp: {
    grammar: "c-sharp",
    extensions: ["cs"],
    kinds: {
      namespace_declaration: "namespace",
      file_scoped_namespace_declaration: "namespace",
      class_declaration: "class",
      interface_declaration: "interface",
      struct_declaration: "struct",
      record_declaration: "record",
      enum_declaration: "enum",
      delegate_declaration: "delegate",
      method_declaration: "method",
      constructor_declaration: "constructor",
      property_declaration: "property",
      local_function_statement: "function",
    },
  },
  css: { grammar: "css", pattern: "Css", extensions: ["css"], kinds: { rule_set: "rule", keyframes_statement: "keyframes", media_statement: "media" } },
  go: {
    grammar: "go",
    extensions: ["go"],
    kinds: { function_declaration: "function", method_declaration: "method", type_spec: "type", type_alias: "type" },
    topLevel: { const_spec: "constant", var_spec: "variable" },
  },
  ini: { grammar: "ini", extensions: ["ini", "cfg", "properties"], kinds: { section: "section", setting: "setting" } },
  java: {
    grammar: "java",
    extensions: ["java"],
    kinds: {
      class_declaration: "class",
      interface_declaration: "interface",
      enum_declaration: "enum",
      record_declaration: "record",
      annotation_type_declaration: "annotation",
      method_declaration: "method",
      constructor_declaration: "constructor",
      field_declaration: "field",
    },
  },
  javascript: { grammar: "javascript", pattern: "JavaScript", extensions: ["js", "mjs", "cjs", "jsx"], kinds: ECMASCRIPT, topLevel: VARIABLES },
  php: {
    grammar: "php",
    extensions: ["php"],
    kinds: {
      namespace_definition: "namespace",
      function_definition: "function",
      class_declaration: "class",
      interface_declaration: "interface",
      trait_declaration: "trait",
      enum_declaration: "enum",
      method_declaration: "method",
      const_element: "constant",
    },
  },
  powershell: {
    grammar: "powershell",
    extensions: ["ps1", "psm1", "psd1"],
    kinds: { function_statement: "function", class_statement: "class", class_method_definition: "method", enum_statement: "enum" },
  },
  python: {
    grammar: "python",
    extensions: ["py", "pyi"],
    kinds: { function_definition: "function", class_definition: "class" },
    topLevel: { assignment: "variable" },
  },
  ruby: {
    grammar: "ruby",
    extensions: ["rb", "rake", "gemspec"],
    kinds: { class: "class", module: "module", method: "method", singleton_method: "method" },
  },
  rust: {
    grammar: "rust",
    extensions: ["rs"],
    kinds: {
      function_item: "function",
      function_signature_item: "function",
      struct_item: "struct",
      enum_item: "enum",
      union_item: "union",
      trait_item: "trait",
      impl_item: "impl",
      mod_item: "module",
      const_item: "constant",
      static_item: "static",
      type_item: "type",
      macro_definition: "macro",
    },
  },
  tsx: { grammar: "tsx", pattern: "Tsx", extensions: ["tsx"], kinds: TYPESCRIPT, topLevel: VARIABLES },
  typescript: { grammar: "typescript", pattern: "TypeScript", extensions: ["ts", "mts", "cts"], kinds: TYPESCRIPT, topLevel: VARIABLES },
};

const BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([name, { extensions }]) => extensions.map((extension) => [extension, name] as const)),
);

/** Each extension of a source file, without its dot. */
export const EXTENSIONS: readonly string[] = [...BY_EXTENSION.keys()];
/** Those of languages whose code patterns are searched for. */
export const PATTERN_EXTENSIONS: readonly string[] = EXTENSIONS.filter((extension) => LANGUAGES[BY_EXTENSION.get(extension) ?? ""]?.pattern !== undefined);

/** The language of a file by its name's extension; null: none that can be read. */
export function languageOf(path: string): string | null {
  return BY_EXTENSION.get(/\.([^./]+)$/u.exec(path)?.[1]?.toLowerCase() ?? "") ?? null;
}
