/** What git keeps of a name or address as it is: no `<`, `>`, line or control character, and nothing at its ends that it would cut (ident.c). */
export const IDENTITY_WORDS = /^(?![\s.,:;"\\'])[^<>\p{Cc}\p{Zl}\p{Zp}]{1,200}(?<![\s.,:;"\\'])$/u;

export const IDENTITY_FAULT = "must be a name or an address as git takes it: one line without < and >, at most 200 characters";

export function isIdentityWord(text: string): boolean {
  return IDENTITY_WORDS.test(text);
}
