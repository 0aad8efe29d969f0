/**
 * What agents keep over runs. The words lie in an index of their own, by the row of the entry; `secure-delete`: what is forgotten stays in no part of the index.
 * `labels`: JSON, where all came from that the model had been given when it stored the entry.
 */
export const MEMORY_STEP = `
  CREATE TABLE memories (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    scope TEXT NOT NULL CHECK (scope IN ('workspace', 'schedule', 'user')),
    place TEXT NOT NULL,
    category TEXT NOT NULL CHECK (category IN ('core', 'daily', 'conversation')),
    text TEXT NOT NULL,
    labels TEXT NOT NULL,
    run TEXT NOT NULL,
    call TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX memories_by_scope ON memories (scope, place, at);
  CREATE INDEX memories_by_run ON memories (run);
  CREATE VIRTUAL TABLE memory_words USING fts5(text, tokenize = 'unicode61 remove_diacritics 2');
  INSERT INTO memory_words(memory_words, rank) VALUES ('secure-delete', 1);
`;
