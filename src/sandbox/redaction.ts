import { createRedactor, type Redactor } from "./egress/secrets/redactor.ts";
import { patternsOf, type SecretPattern } from "./egress/secrets/pattern.ts";
import { restAt } from "./egress/secrets/cut-secret.ts";
import type { BoundedOutput } from "./outcome.ts";
import type { StreamName, TakeOutput } from "./runtime.ts";

/**
 * Removes known secrets from a sandbox's output: as they are, in base64 at every alignment, in hexadecimal, and escaped as in URLs, JSON
 * and HTML (egress/secrets/pattern.ts). This stops accidents, and a model that was told to print a secret. A command that encodes a secret
 * in another way is not seen through.
 */
export type Redaction = {
  readonly text: (text: string) => string;
  /** A command's output, also where it was cut: neither the beginning nor the end of a secret is left beside the cut. */
  readonly output: (output: BoundedOutput) => BoundedOutput;
  /** Output while it arrives, in whatever parts. */
  readonly live: (onOutput: TakeOutput) => {
    readonly take: TakeOutput;
    readonly finish: () => void;
  };
  /** The same for both streams of a command that are shown as one text: a secret may be in neither, and in what they are together. */
  readonly joined: (onOutput: (text: string) => void) => ReturnType<Redaction["live"]>;
};

/** How a part begins that follows a cut. */
const CUT = /^\n\[\d+ bytes left out\]\n/u;
/** Shorter values are found by chance in ordinary text. */
const MIN_SECRET_CHARACTERS = 6;
/** Whole words of a name, or such as only a secret's has; `BYPASS`, `COMPASS` and `KEYMAP` are none. */
const SECRET_NAME =
  /token|secret|passw|passphrase|credential|jwt|(?:^|_)(?:api_?)?keys?(?:$|_)|apikey|(?:private|access|signing|encryption)keys?|(?:^|_)(?:auth|creds?|(?:ssh|db)?pass|pwd)(?:$|_)|(?:^|_)pat$/iu;
/** Before the host of a URL, of which a value may hold several, or in its query. */
const PASSWORD_IN_URL = /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/[^\s/?#:@]*:([^\s/?#@]+)@|[?&;](?:pass(?:word|wd)?|pwd|secret|token|api_?key)=([^\s&;#]+)/giu;

/**
 * The values among variables whose names say that they are secrets, and passwords within URLs; paths, such as a socket's, are none. A whole environment holds
 * more by chance than what a policy passes on: ask for more characters of it.
 */
export function secretsIn(
  environment: Readonly<Record<string, string | undefined>>,
  minCharacters: number = MIN_SECRET_CHARACTERS,
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [name, given = ""] of Object.entries(environment)) {
    // What stands around it is lost where a shell splits words, and with it would be the match.
    const value = given.trim();
    const isNamed = value.length >= minCharacters && !isPath(value) && SECRET_NAME.test(name);
    if (isNamed) secrets.set(name, value);
    for (const [index, password] of passwordsIn(value).entries()) {
      if (password.length < minCharacters) continue;
      const known = isNamed ? `password of ${name}` : name;
      secrets.set(index === 0 ? known : `${known}, ${String(index + 1)}`, password);
    }
  }
  return secrets;
}

/** What URLs hold to get in: of a database, a queue, a proxy. A word (`postgres:postgres@`) would be taken out of ordinary text, and keeps nobody out. */
function passwordsIn(value: string): readonly string[] {
  if (!value.includes("://")) return [];
  const found = [...value.matchAll(PASSWORD_IN_URL)].map(([, before, queried]) => before ?? queried ?? "");
  return [...new Set(found)].filter((password) => !/^(?:[a-z]{0,12}|[A-Z]{0,12}|[0-9]{0,12})$/u.test(password)).map(unescaped);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Whether a value is a path. Base64 may begin with a slash, too (one key in 64): then it has a long part as no directory is named. */
function isPath(value: string): boolean {
  const isRandom = (part: string): boolean => /^[A-Za-z0-9+=]{16,}$/u.test(part) && /[a-z]/u.test(part) && /[A-Z]/u.test(part) && /[0-9]/u.test(part);
  return value.startsWith("/") && !value.split("/").some(isRandom);
}

/** `secrets`: values by the name that stands in their place. */
export function createRedaction(secrets: ReadonlyMap<string, string>): Redaction {
  const redactor = createRedactor(new Map([...secrets].map(([name, value]) => [name, asBytes(value)])));
  if (redactor === null) {
    const finish = (): void => undefined;
    return {
      text: (text) => text,
      output: (output) => output,
      live: (onOutput) => ({ take: onOutput, finish }),
      joined: (onOutput) => ({
        take: (_stream, text) => {
          onOutput(text);
        },
        finish,
      }),
    };
  }
  const patterns = [...secrets].flatMap(([name, value]) => patternsOf(name, asBytes(value)));
  const text = (value: string): string => asText(redactor.text(asBytes(value)));
  const live: Redaction["live"] = (onOutput) => {
    const streams = { stdout: redactor.parts(), stderr: redactor.parts() };
    const give = (stream: StreamName, bytes: string): unknown => (bytes === "" ? undefined : onOutput(stream, asText(bytes)));
    return {
      take: (stream, part) => {
        const cut = CUT.exec(part)?.[0] ?? null;
        if (cut === null) return give(stream, streams[stream].push(asBytes(part)));
        void give(stream, streams[stream].end(true));
        return give(stream, asBytes(cut) + streams[stream].push(withoutRest(asBytes(part.slice(cut.length)), patterns)));
      },
      finish: () => {
        for (const stream of ["stdout", "stderr"] as const) void give(stream, streams[stream].end());
      },
    };
  };
  return {
    text,
    output: (output) => ({ ...output, text: output.cutBytes === 0 ? text(output.text) : cutOutput(output, redactor, patterns) }),
    live,
    joined: (onOutput) => {
      const whole = live((_stream, part) => {
        onOutput(part);
      });
      const each = live((_stream, part) => {
        whole.take("stdout", part);
      });
      const finish = (): void => {
        each.finish();
        whole.finish();
      };
      return { take: each.take, finish };
    },
  };
}

/** The two kept parts stand on either side of a line that counts what is missing (supervisor/output.ts). */
function cutOutput({ text, cutBytes }: BoundedOutput, redactor: Redactor, patterns: readonly SecretPattern[]): string {
  const mark = `\n[${String(cutBytes)} bytes left out]\n`;
  const at = text.indexOf(mark);
  if (at < 0) return asText(redactor.text(asBytes(text)));
  const parts = redactor.parts();
  const head = parts.push(asBytes(text.slice(0, at))) + parts.end(true);
  const tail = withoutRest(asBytes(text.slice(at + mark.length)), patterns);
  return `${asText(head)}${mark}${asText(redactor.text(tail))}`;
}

function withoutRest(tail: string, patterns: readonly SecretPattern[]): string {
  return tail.slice(restAt(tail, patterns));
}

// The search compares bytes, each as a character: a text in UTF-8 is cut nowhere in a character by it, for a secret begins and ends with one.
const asBytes = (text: string): string => Buffer.from(text).toString("latin1");
const asText = (bytes: string): string => Buffer.from(bytes, "latin1").toString();
