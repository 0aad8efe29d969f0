type Token = { readonly kind: "word" | "name" | "sign"; readonly text: string };

/** As SQLite reads it. A text of several parts (`'a''b'`) is several here. Anything else, a parameter say, is in no schema. */
const LEXEMES =
  /[ \t\n\f\r]+|--[^\n]*|\/\*[^]*?\*\/|([A-Za-z_\x80-\xff][\w$\x80-\xff]*)|('[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\])|(\d\w*|[(),.+*%<>=!&|~-]|\/(?!\*))/y;

/**
 * The name of the ordinary table that a text of the schema makes, in lower case; null: it makes something else, or columns that are computed. What checks and defaults
 * call is not called by a SELECT of the table.
 */
export function nameOfTable(sql: string): string | null {
  const tokens = tokenise(sql);
  const [create, table, name, open] = tokens ?? [];
  if (tokens === null || name === undefined || !isWord(create, "create") || !isWord(table, "table") || open?.text !== "(") return null;
  // A computed column has an AS, and nothing is called so without quotes.
  if (name.kind === "sign" || tokens.some((token) => isWord(token, "as"))) return null;
  return (name.kind === "name" ? name.text.slice(1, -1) : name.text).toLowerCase();
}

/** An index over columns, and perhaps not over all rows: one that calls nothing, as it has no other parentheses. */
export function isPlainIndex(sql: string): boolean {
  const [create, ...rest] = tokenise(sql) ?? [];
  const index = isWord(rest[0], "unique") ? rest[1] : rest[0];
  return isWord(create, "create") && isWord(index, "index") && rest.filter(({ text }) => text === "(").length === 1;
}

function isWord(token: Token | undefined, text: string): boolean {
  return token?.kind === "word" && token.text.toLowerCase() === text;
}

/** Null: a NUL, at which SQLite stops reading, or what it does not read at all. */
function tokenise(sql: string): readonly Token[] | null {
  const tokens: Token[] = [];
  if (sql.includes("\0")) return null;
  for (let at = 0; at < sql.length;) {
    LEXEMES.lastIndex = at;
    const match = LEXEMES.exec(sql);
    if (match === null) return null;
    at += match[0].length;
    const [, word, name, sign] = match;
    if (word !== undefined) tokens.push({ kind: "word", text: word });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
  }
  return tokens;
}
