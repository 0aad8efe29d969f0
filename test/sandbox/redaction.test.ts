import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import { createRedaction, secretsIn } from "../../src/sandbox/redaction.ts";
import type { Session } from "../../src/sandbox/runtime.ts";
import { bash, makeFixture, perform, profileOf, run, type SandboxFixture, ORDINARY_UID } from "../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../support/docker.ts";
import { makePlace, warder } from "../support/warder-cli.ts";

const SECRET = "hunter2-Correct/Horse+Battery";
const redaction = createRedaction(new Map([["TOKEN", SECRET]]));
/** A text around a secret, without the characters that base64, hexadecimal and escapes are made of. */
const around = fc.string({ unit: fc.constantFrom(..." .,;:!?()[]<>äß€𝄞\n"), maxLength: 40 });
const secrets = fc.string({ unit: fc.constantFrom(..."abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_/+.="), minLength: 10, maxLength: 60 });

const percent = (text: string): string => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
const escapes = (text: string): string => [...text].map((character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`).join("");
/** Each UTF-16 unit, as Python's `json.dumps` writes what is beyond ASCII. */
const unitsOf = (text: string): string =>
  Array.from({ length: text.length }, (_unused, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
const WAYS: readonly (readonly [string, (secret: string) => string])[] = [
  ["as it is", (secret) => secret],
  ["in capitals", (secret) => secret.toUpperCase()],
  ["in hexadecimal", (secret) => Buffer.from(secret).toString("hex")],
  ["as in a URL", encodeURIComponent],
  ["as in a URL, every byte", percent],
  ["as in a URL within a URL", (secret) => encodeURIComponent(percent(secret))],
  ["as in JSON", (secret) => JSON.stringify(secret).slice(1, -1)],
  ["as in JSON, every character", escapes],
];

describe("a known secret in a text", () => {
  test.each(WAYS)("is taken out %s", (_way, write) => {
    fc.assert(
      fc.property(secrets, around, around, (secret, before, after) => {
        const clean = createRedaction(new Map([["NAME", secret]])).text(`${before}${write(secret)}${after}`);
        expect(clean).toBe(`${before}[redacted: NAME]${after}`);
      }),
    );
  });

  test.each([
    ["base64", "base64"],
    ["base64url", "base64url"],
  ] as const)("is taken out in %s, wherever it begins in what was encoded", (_way, encoding) => {
    fc.assert(
      fc.property(secrets, fc.uint8Array({ maxLength: 5 }), fc.uint8Array({ maxLength: 5 }), (secret, before, after) => {
        const encoded = Buffer.concat([before, Buffer.from(secret), after]).toString(encoding);
        const clean = createRedaction(new Map([["NAME", secret]])).text(`<${encoded}>`);
        // What is left of it shares characters with its neighbours and decides none of the secret's whole bytes but the outermost two.
        const left = clean.replace("[redacted: NAME]", "").length - 2;
        expect(clean).toContain("[redacted: NAME]");
        expect(left).toBeLessThanOrEqual(Math.ceil(((before.length + 1) * 8) / 6) + Math.ceil(((after.length + 1) * 8) / 6) + 4);
      }),
    );
  });

  test.each(["", "x", "xx"])("leaves no end in base64, behind %j", (before) => {
    for (const secret of ["model-key-0123456789", "model-key-01234567890", "model-key-012345678901"]) {
      const redact = createRedaction(new Map([["NAME", secret]])).text;
      for (const encoded of [Buffer.from(`${before}${secret}`).toString("base64"), Buffer.from(`${before}${secret}`).toString("base64url")])
        for (const text of [encoded, encodeURIComponent(encoded), encoded.replace(/(=*)$/u, "\n$1")])
          expect(redact(text), text).toMatch(/^.{0,3}\[redacted: NAME\]\n?$/u);
      expect(redact(`${Buffer.from(secret).toString("base64")}.`)).toBe("[redacted: NAME].");
    }
  });

  test("is taken out of base64 that is wrapped", () => {
    const wrapped = Buffer.from(`xx${SECRET}`.repeat(3)).toString("base64").replaceAll(/.{20}/gu, "$&\n");
    // Also where JSON holds it, as what a forge's interface answers.
    for (const text of [wrapped, JSON.stringify(wrapped), JSON.stringify(JSON.stringify(wrapped.replaceAll("\n", "\r\n")))])
      expect(redaction.text(text).match(/redacted/gu)?.length).toBe(3);
  });

  test("is taken out of base64 in indented lines, as YAML and headers have it", () => {
    const wrapped = Buffer.from(`xx${SECRET}`.repeat(3)).toString("base64");
    for (const gap of ["\n    ", "\r\n\t", "\\n  "]) expect(redaction.text(wrapped.replaceAll(/.{20}/gu, `$&${gap}`)).match(/redacted/gu)?.length).toBe(3);
  });

  test.each([
    ["hexdump -C", 1, " "],
    ["od -t x1, in lines", 1, "\n  "],
    ["xxd", 2, " "],
    ["openssl", 1, ":"],
    ["openssl, in lines", 1, ":\n    "],
    ["identifiers", 4, "-"],
  ])("is taken out of hexadecimal in groups, as of %s", (_program, bytes, gap) => {
    const groups = Buffer.from(`<${SECRET}>`)
      .toString("hex")
      .match(new RegExp(`.{1,${String(2 * bytes)}}`, "gu"));
    const written = groups?.join(gap) ?? "";
    const clean = redaction.text(written);
    expect(clean).toContain("[redacted: TOKEN]");
    expect(clean.length).toBeLessThan(40);
    for (let at = 1; at < written.length; at += 1) {
      let shown = "";
      const live = redaction.live((_stream, part) => (shown += part));
      for (const part of [written.slice(0, at), written.slice(at)]) live.take("stdout", part);
      live.finish();
      expect(shown).toBe(clean);
    }
  });

  test("is taken out of JSON in JSON in JSON, quotes and backslashes included", () => {
    const secret = 'p4ss/w"rd\\and\\more=z!9';
    const own = createRedaction(new Map([["NAME", secret]]));
    let text = secret;
    for (let depth = 1; depth <= 3; depth += 1) {
      text = JSON.stringify(text).slice(1, -1);
      expect(own.text(`<${text}>`)).toBe("<[redacted: NAME]>");
      // And with escaped slashes, as PHP writes them.
      const slashed = text.replaceAll("/", `${"\\".repeat(2 ** depth - 1)}/`);
      expect(own.text(`<${slashed}>`)).toBe("<[redacted: NAME]>");
    }
  });

  test("is taken out when it is not of ASCII alone", () => {
    const own = createRedaction(new Map([["NAME", "Straße-über-€"]]));
    for (const text of ["Straße-über-€", Buffer.from("Straße-über-€").toString("hex")]) expect(own.text(`ä${text}€`)).toBe("ä[redacted: NAME]€");
    expect(own.text(Buffer.from("Straße-über-€").toString("base64"))).toBe("[redacted: NAME]");
  });

  test.each([
    ["JSON in ASCII", (text: string) => text.replaceAll(/[^\x20-\x7e]/gu, unitsOf)],
    ["JSON in ASCII in JSON", (text: string) => JSON.stringify(text.replaceAll(/[^\x20-\x7e]/gu, unitsOf)).slice(1, -1)],
    ["decimal HTML", (text: string) => text.replaceAll(/[^\x20-\x7e]/gu, (character) => `&#${String(character.codePointAt(0))};`)],
    [
      "hexadecimal HTML",
      (text: string) => text.replaceAll(/[^\x20-\x7e]/gu, (character) => `&#x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()};`),
    ],
  ])("is taken out when it is not of ASCII alone, but written so: %s", (_way, write) => {
    const secret = "Äpfel-über-€-𝄞-42";
    const own = createRedaction(new Map([["NAME", secret]]));
    const text = `<${write(secret)}>`;
    expect(text).toMatch(/^[\x20-\x7e]*$/u);
    expect(own.text(text)).toBe("<[redacted: NAME]>");
    for (let at = 1; at < text.length; at += 1) {
      let shown = "";
      const live = own.live((_stream, part) => (shown += part));
      for (const part of [text.slice(0, at), text.slice(at)]) live.take("stdout", part);
      live.finish();
      expect(shown).toBe("<[redacted: NAME]>");
    }
  });

  test("is taken out when it has spaces or several lines, as keys have", () => {
    const key = "-----BEGIN KEY-----\nMIIBOgIBAAJBAKj34\n\tGkxFhD9\r\nend of key\n";
    const own = createRedaction(new Map([["KEY", key]]));
    const forms = [key, JSON.stringify(key).slice(1, -1), JSON.stringify(JSON.stringify(key)).slice(3, -3), encodeURIComponent(key)];
    for (const form of [...forms, new URLSearchParams({ key }).toString().slice(4)]) {
      expect(own.text(`<${form}>`)).toBe("<[redacted: KEY]>");
      for (let at = 1; at < form.length; at += 1) {
        let shown = "";
        const live = own.live((_stream, text) => (shown += text));
        for (const part of [`<${form.slice(0, at)}`, `${form.slice(at)}>`]) live.take("stdout", part);
        live.finish();
        expect(shown).toBe("<[redacted: KEY]>");
      }
    }
    const first = createRedaction(new Map([["KEY", "\nkey in a line"]]));
    expect(first.text('{"key":"\\nkey in a line"}')).toBe('{"key":"[redacted: KEY]"}');
  });

  test("leaves every other text as it is, characters of any length included", () => {
    fc.assert(
      fc.property(around, fc.string({ unit: "grapheme", maxLength: 200 }), (one, other) => {
        expect(redaction.text(one + other)).toBe(one + other);
      }),
    );
  });
});

describe("a known secret in output that arrives in parts", () => {
  test("is taken out however it is split, and nothing else changes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(around, fc.constantFrom(...WAYS.map(([, write]) => write(SECRET)))), { maxLength: 6 }),
        fc.array(fc.nat(30), { minLength: 1, maxLength: 60 }),
        (texts, sizes) => {
          const whole = [...texts.join("\n")];
          let shown = "";
          const live = redaction.live((_stream, text) => (shown += text));
          for (let at = 0, turn = 0; at < whole.length; turn += 1) {
            const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
            live.take("stdout", whole.slice(at, at + size).join(""));
            at += size;
          }
          live.finish();
          expect(shown).toBe(redaction.text(whole.join("")));
        },
      ),
    );
  });
});

describe("a known secret in the output of both streams that is shown as one text", () => {
  // What may begin a secret is held back: of one that ends as it begins, both streams hold a part to the end.
  const value = "hunter2-Correct/Horse+Bath";
  const own = createRedaction(new Map([["TOKEN", value]]));
  const shownOf = (parts: readonly (readonly ["stdout" | "stderr", string])[]): string => {
    let shown = "";
    const joined = own.joined((part) => (shown += part));
    for (const [stream, part] of parts) joined.take(stream, part);
    joined.finish();
    return shown;
  };

  test("is not put together from what each stream holds of it", () => {
    for (let at = 1; at < value.length; at += 1) {
      const head = ["stdout", value.slice(0, at)] as const;
      const tail = ["stderr", value.slice(at)] as const;
      for (const parts of [
        [head, tail],
        [tail, head],
      ])
        expect(shownOf(parts), JSON.stringify(parts)).not.toContain(value);
    }
    const alternately = [...value].map((character, at) => [at % 2 === 0 ? "stdout" : "stderr", character] as const);
    expect(shownOf(alternately)).not.toContain(value);
  });

  test("is taken out of one stream while the other prints, and beside a cut", () => {
    expect(
      shownOf([
        ["stdout", `<${value.slice(0, 9)}`],
        ["stderr", "note: "],
        ["stdout", `${value.slice(9)}>`],
      ]),
    ).toBe("<note: [redacted: TOKEN]>");
    expect(
      shownOf([
        ["stdout", `x ${value.slice(0, 9)}`],
        ["stdout", `\n[9 bytes left out]\n${value.slice(9)} y`],
      ]),
    ).toBe("x \n[9 bytes left out]\n y");
  });
});

describe("a known secret beside a cut", () => {
  test("loses its beginning before the cut and its end behind it", () => {
    for (let at = 5; at < SECRET.length - 5; at += 1) {
      const text = `before ${SECRET.slice(0, at)}\n[123 bytes left out]\n${SECRET.slice(at)} after`;
      expect(redaction.output({ text, totalBytes: 500, cutBytes: 123 }).text).toBe("before \n[123 bytes left out]\n after");
      let shown = "";
      const live = redaction.live((_stream, part) => (shown += part));
      for (const part of [`before ${SECRET.slice(0, at)}`, `\n[123 bytes left out]\n${SECRET.slice(at)} after`]) live.take("stdout", part);
      live.finish();
      expect(shown).toBe("before \n[123 bytes left out]\n after");
    }
  });
});

describe("the end of a secret behind a cut, wherever in its writing the cut lies", () => {
  const KEY = 'pa"ss\nw\\ord-of<42>&Co/';
  const wrap = (text: string, end: string): string => text.replaceAll(/.{12}/gu, `$&${end}`);
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const entities = (text: string): string => [...Buffer.from(text)].map((byte) => `&#x${byte.toString(16).padStart(2, "0")};`).join("");
  const ways: readonly (readonly [string, (secret: string) => string])[] = [
    ...WAYS,
    ["in base64", base64],
    ["in base64 behind other bytes", (secret) => base64(`x${secret}`)],
    ["in base64 that is wrapped", (secret) => wrap(base64(secret), "\r\n")],
    ["in base64 that is wrapped, as in JSON", (secret) => JSON.stringify(wrap(base64(secret), "\n")).slice(1, -1)],
    ["in hexadecimal that is wrapped", (secret) => wrap(Buffer.from(secret).toString("hex"), "\n")],
    ["in base64 in indented lines", (secret) => wrap(base64(secret), "\n    ")],
    ["in hexadecimal in groups", (secret) => wrap(Buffer.from(secret).toString("hex").replaceAll(/../gu, "$& "), "\n ")],
    ["as in JSON in JSON", (secret) => inJson(inJson(secret))],
    ["as in JSON in JSON in JSON", (secret) => inJson(inJson(inJson(secret)))],
    ["as in HTML", (secret) => secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")],
    ["as in HTML, every byte", entities],
    ["in UTF-16", (secret) => [...secret].join("\0")],
  ];
  test.each(ways)("written %s", (_way, write) => {
    for (const secret of [SECRET, KEY]) {
      const own = createRedaction(new Map([["NAME", secret]]));
      const written = write(secret);
      // Three characters stay, however they are written, and what base64 shares with what follows.
      const most = write("###").length + 6;
      for (let at = 1; at < written.length; at += 1) {
        if (/[\uDC00-\uDFFF]/u.test(written.charAt(at))) continue;
        const mark = "\n[123 bytes left out]\n";
        const { text } = own.output({ text: `before ${written.slice(0, at)}${mark}${written.slice(at)}~after`, totalBytes: 500, cutBytes: 123 });
        const tail = (text.split(mark)[1] ?? "").replace("[redacted: NAME]", "");
        expect(tail.endsWith("~after"), text).toBe(true);
        expect(tail.length - "~after".length, `${written.slice(at)} left ${tail}`).toBeLessThanOrEqual(most);
      }
    }
  });

  test("is looked for in time that does not grow without bound with the secret", () => {
    const own = createRedaction(new Map([["NAME", "ab".repeat(2_000)]]));
    const { text } = own.output({ text: `\n[123 bytes left out]\n${"ab".repeat(20_000)}c`, totalBytes: 50_000, cutBytes: 123 });
    expect(text).not.toContain("abab");
  });
});

describe("which variables are secrets", () => {
  test("says their name, and never a path", () => {
    const environment = {
      ANTHROPIC_API_KEY: "a-long-value",
      DEPLOY_TOKEN: "a-long-value",
      DB_PASSWORD: "a-long-value",
      GITHUB_PAT: "a-long-value",
      GIT_AUTHOR_NAME: "Jane Doe",
      SSH_AUTH_SOCK: "/tmp/ssh-x/agent.1",
      // What base64 begins with is as often a slash as any other character.
      AWS_SECRET_ACCESS_KEY: "/JalrXUtnFEMI/K7MDENG+bPxRfiCY4EXAMPLEKEY",
      GOOGLE_APPLICATION_CREDENTIALS: "/home/jane/.config/gcloud/application_default_credentials.json",
      SSH_KEY: "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/id_ed25519",
      KEYBOARD: "qwertz-de",
      API_KEY: "short",
      PATH: "/usr/bin:/bin",
    };
    expect([...secretsIn(environment).keys()]).toEqual(["ANTHROPIC_API_KEY", "DEPLOY_TOKEN", "DB_PASSWORD", "GITHUB_PAT", "AWS_SECRET_ACCESS_KEY"]);
    expect([...secretsIn({ CACHE_KEY: "master", MODEL_KEY: "12345678" }, 8).keys()]).toEqual(["MODEL_KEY"]);
    const further = ["DB_PASS", "SSHPASS", "SMTP_PASS_2", "MYSQL_PWD", "SESSION_JWT", "SIGNING_KEYS", "PRIVATEKEY", "REDIS_CREDS"];
    expect([...secretsIn(Object.fromEntries(further.map((name) => [name, "a-long-value"]))).keys()]).toEqual(further);
    const others = {
      PWD: "/home/jane",
      OLDPWD: "/srv/app",
      BYPASS: "everything",
      COMPASS_HOME: "somewhere",
      KEYMAP: "de-latin1",
      MONKEYS: "five-of-them",
      PASSIVE: "enabled",
    };
    expect([...secretsIn(others).keys()]).toEqual([]);
    // A shell's `echo $TOKEN` drops the blanks that a file or a container's settings left around it.
    expect([...secretsIn({ FILE_TOKEN: " a-long-value\r\n", SHORT_KEY: "   abc   \n" })]).toEqual([["FILE_TOKEN", "a-long-value"]]);
  });
});

describe("a password within a URL", () => {
  test("is a secret whatever the variable is called, and the URL around it is none", () => {
    const environment = {
      DATABASE_URL: "postgres://app:x7%2FKq-9z!@db.example.org:5432/app",
      REDIS_URL: "redis://:Zq81ns-02x@cache:6379",
      HTTPS_PROXY: "http://jane:correct-horse@proxy.example.org:3128",
    };
    expect([...secretsIn(environment)]).toEqual([
      ["DATABASE_URL", "x7/Kq-9z!"],
      ["REDIS_URL", "Zq81ns-02x"],
      ["HTTPS_PROXY", "correct-horse"],
    ]);
    const own = createRedaction(secretsIn(environment));
    expect(own.text(`${environment.DATABASE_URL} x7/Kq-9z!`)).toBe("postgres://app:[redacted: DATABASE_URL]@db.example.org:5432/app [redacted: DATABASE_URL]");
  });

  test("is one in each of several URLs, and in a query", () => {
    const environment = { BROKERS: "amqp://a:Zq81ns-02x@x,amqp://b:Yp72mr-13w@y", JDBC: "jdbc:postgresql://h/app?user=a&password=Xo63lq-24v" };
    expect([...secretsIn(environment)]).toEqual([
      ["BROKERS", "Zq81ns-02x"],
      ["BROKERS, 2", "Yp72mr-13w"],
      ["JDBC", "Xo63lq-24v"],
    ]);
  });

  test("is none where it is a word or nobody's secret", () => {
    const environment = {
      A_URL: "postgres://postgres:postgres@localhost/app",
      B_URL: "amqp://guest:guest@mq",
      C_URL: "https://example.org:8443/a@b",
      D_URL: "redis://app:%ff%ff%ff@h",
    };
    expect([...secretsIn(environment).keys()]).toEqual(["D_URL"]);
  });
});

describeWithDocker("what a command prints", () => {
  let fixture: SandboxFixture;
  let session: Session;
  beforeAll(async () => {
    fixture = makeFixture({ "a.txt": "a" }, ORDINARY_UID);
    const options = { runId: fixture.runId, runDirectory: fixture.runDirectory, hidden: new Map([["MODEL_KEY", "model-key-0123456789"]]) };
    session = await dockerRuntime().open(profileOf(fixture, { env: { DEPLOY_TOKEN: SECRET } }), options);
  });
  afterAll(async () => {
    await session.close();
    fixture.remove();
  });

  test("has no secret of its environment, nor one of Warder's own, in any encoding", async () => {
    const { out } = await run(
      session,
      'echo "$DEPLOY_TOKEN"; printf %s "x$DEPLOY_TOKEN" | base64 -w 0; printf %s "$DEPLOY_TOKEN" | od -An -tx1 -v | tr -d " \\n"; echo model-key-0123456789',
    );
    expect(out.match(/\[redacted: DEPLOY_TOKEN\]/gu)?.length).toBe(3);
    expect(out).toContain("[redacted: MODEL_KEY]");
    expect(out).not.toContain(SECRET.slice(4, 12));
  });

  test("has none while it arrives, in single bytes", async () => {
    let shown = "";
    const text = 'for ((i = 0; i < ${#DEPLOY_TOKEN}; i++)); do printf %s "${DEPLOY_TOKEN:i:1}"; sleep 0.002; done; echo .';
    await perform(session, bash(session, text), { onOutput: (_stream, part) => (shown += part) });
    expect(shown).toBe("[redacted: DEPLOY_TOKEN].\n");
  });

  test("has none beside a cut", async () => {
    const outcome = await perform(session, bash(session, 'for i in $(seq 400); do printf "%s" "$DEPLOY_TOKEN"; done', { outputBytes: 1000 }));
    if (outcome.kind !== "completed" || outcome.result.kind !== "exec") throw new Error(JSON.stringify(outcome));
    expect(outcome.result.stdout.cutBytes).toBeGreaterThan(0);
    expect(outcome.result.stdout.text.replaceAll("[redacted: DEPLOY_TOKEN]", "")).toMatch(/^\n\[\d+ bytes left out\]\n$/u);
  });

  test("has none of Warder's own environment either, nor has the audit log", async () => {
    const place = makePlace();
    try {
      const environment = { TEST_API_KEY: SECRET };
      const end = await warder(place, ["exec", "--policy", "supervised", "--", `echo ${SECRET}`], { environment });
      expect(end).toMatchObject({ exitCode: 0, stdout: "[redacted: TEST_API_KEY]\n" });
      const { stdout } = await warder(place, ["audit", "tail", "--json"]);
      expect(stdout).toContain("[redacted: TEST_API_KEY]");
      expect(stdout).not.toContain(SECRET.slice(0, 15));
    } finally {
      place.remove();
    }
  });

  test("leaves no half of one where a record is cut", async () => {
    const place = makePlace();
    try {
      const text = `${"echo ".padEnd(385, "x")} ${SECRET} ${"y".repeat(2000)}`;
      await warder(place, ["exec", "--policy", "supervised", "--", text], { environment: { TEST_API_KEY: SECRET } });
      const { stdout } = await warder(place, ["audit", "tail", "--json"]);
      expect(stdout).toContain("xxx [redacted: TE");
      expect(stdout).not.toContain(SECRET.slice(0, 6));
    } finally {
      place.remove();
    }
  });

  test("leaves no credential of a file in what is recorded of a connection", async () => {
    const place = makePlace();
    try {
      const secret = "Zq7-Kfile-credential";
      writeFileSync(join(place.home, "token"), secret, { mode: 0o600 });
      const policy = join(place.home, "policy.yaml");
      const credential =
        "{ id: a-token, secret: { file: ~/token }, host: a.example.org, port: 80, methods: [GET], paths: ['/**'], header: { x-token: '{secret}' } }";
      writeFileSync(policy, `version: 1\nname: a\nautonomy: full\nsandbox: { network: { allow: [a.example.org], credentials: [${credential}] } }\n`);
      await warder(place, ["exec", "--policy", policy, "--", `curl -s http://a.example.org/v1/${secret}`]);
      const { stdout } = await warder(place, ["audit", "tail", "--json"]);
      expect(stdout).toContain('"credential-needs-tls"');
      expect(stdout).not.toContain(secret);
    } finally {
      place.remove();
    }
  });
});
