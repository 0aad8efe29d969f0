import { afterAll, beforeAll, expect, test } from "vitest";
import { dockerRuntime } from "../../src/sandbox/docker/runtime.ts";
import type { Session } from "../../src/sandbox/runtime.ts";
import { makeFixture, profileOf, run, type SandboxFixture } from "../contract/sandbox-fixture.ts";
import { describeWithDocker } from "../support/docker.ts";
import { toolCaller } from "../support/session-tools.ts";

describeWithDocker("the tools in a session", () => {
  let fixture: SandboxFixture;
  let session: Session;
  let call: ReturnType<typeof toolCaller>;
  beforeAll(async () => {
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`many/file-${index}.txt`, "needle\n".repeat(7)]));
    fixture = makeFixture({
      "README.md": "# Title\nsecond line\nthird line\n",
      "src/a.ts": "export const one = 1;\nexport const two = 2;\n",
      "dos.txt": "one\r\ntwo\r\n",
      "marked.txt": "\uFEFFmarked\n",
      ".env": "SECRET=1\n",
      "dash.txt": "--pre=touch /tmp/owned\n",
      ...many,
    });
    session = await dockerRuntime().open(profileOf(fixture), { runId: fixture.runId, runDirectory: fixture.runDirectory });
    call = toolCaller(session, fixture.workspace);
  });
  afterAll(async () => {
    await session?.close();
    fixture?.remove();
  });

  test("shell returns exit code and both streams", async () => {
    expect(await call("shell", { command: "echo out; echo err >&2; exit 3" })).toEqual({
      text: "exit code: 3\nstdout:\nout\nstderr:\nerr\n",
      isError: false,
      label: "untrusted",
    });
    expect((await call("bash", { command: "pwd", working_dir: "src" })).text).toContain(`${fixture.workspace}/src\n`);
  });

  test("repl runs code as it stands, each piece in an interpreter of its own", async () => {
    const answers = [
      await call("repl", { language: "python", code: "import sys\nprint('it\\'s', \"$HOME\")" }),
      await call("repl", { language: "node", code: "-1; console.log(`${1 + 1}!`, '\\\\n')", working_dir: "src" }),
      await call("repl", { language: "sh", code: "echo one; exit 3" }),
      await call("repl", { language: "python", code: "sys" }),
    ];
    expect(answers.map(({ text }) => text.split("\n").slice(0, 3).join("|"))).toEqual([
      "exit code: 0|stdout:|it's $HOME",
      String.raw`exit code: 0|stdout:|2! \n`,
      "exit code: 3|stdout:|one",
      "exit code: 1|stderr:|Traceback (most recent call last):",
    ]);
    const late = await call("repl", { language: "python", code: "while True: pass", timeout_seconds: 2 });
    expect(late.text).toMatch(/^Timed out and was stopped/u);
  });

  test("powershell says that the image has none of it", async () => {
    const answer = await call("powershell", { command: "Get-Date" });
    expect([answer.isError, answer.text.split("\n")[0]]).toEqual([
      true,
      "Failed: bash found no pwsh, so PowerShell cannot be used in this sandbox. Use another tool, or ask for an image that has pwsh.",
    ]);
  });

  test("shell stops at its own shorter limit", async () => {
    const answer = await call("shell", { command: "echo begun; sleep 1000", timeout_seconds: 4 });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/^Timed out and was stopped: the command\.\nstdout:\nbegun\n/u);
  });

  test("read_file returns the chosen lines", async () => {
    expect((await call("read_file", { path: "README.md" })).text).toBe("README.md: lines 1-3 of 3\n# Title\nsecond line\nthird line\n");
    expect((await call("read_file", { path: "README.md", offset: 2, limit: 1 })).text).toBe(
      "README.md: lines 2-2 of 3\nsecond line\n\n[1 more lines; continue with offset 3]",
    );
    // 250 KiB a result, however many files it is of.
    await run(session, "yes 0123456789abcdef | head -n 20000 > long.txt");
    const { text } = await call("read_file", { files: [{ path: "long.txt" }, { path: "README.md" }] });
    expect(text.slice(0, 40)).toMatch(/^long\.txt: lines 1-15058 of 20000\n/u);
    expect(text.slice(-150)).toMatch(/\[4942 more lines; continue with offset 15059\]\n\s*\[error\] Not read: README\.md\./u);
    await run(session, "rm long.txt");
  });

  test("read_file reads several files in one call: lines, an image, a directory, and what cannot be read", async () => {
    await run(session, "printf '\\x89PNG\\r\\n\\x1a\\nrest' > dot.bin; printf '\\xff\\xfeh\\0i\\0' > wide.txt; mkfifo fifo");
    const { text, isError } = await call("Read", {
      files: [
        { path: "README.md", offset: 2, limit: 1 },
        { path: "missing.txt" },
        { path: "dot.bin" },
        { path: "wide.txt" },
        { path: "many" },
        { path: "fifo" },
        { path: "/dev/zero" },
      ],
    });
    expect(isError).toBe(false);
    expect(text).toContain("README.md: lines 2-2 of 3\nsecond line\n");
    expect(text).toContain("[error] Failed: reading missing.txt. There is no such file or directory.");
    expect(text).toContain("dot.bin: image/png, 12 bytes\n\n[image/png]");
    expect(text).toContain("wide.txt: lines 1-1 of 1, UTF-16LE text, shown as UTF-8\nhi");
    expect(text).toContain("many: 8 entries\nfile-0.txt  49\n");
    expect(text).toContain("[error] Failed: reading fifo. It is not a regular file.");
    expect(text).toContain("[error] Failed: reading /dev/zero. ");
    await run(session, "rm fifo dot.bin");
    expect(await call("read_file", { paths: ["missing.txt", "missing-too.txt"] })).toMatchObject({ isError: true });
    expect(await call("read_file", { path: "missing.txt" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("There is no such file or directory"),
    });
  });

  test("what is no UTF-8 is shown, and changed by no tool", async () => {
    await run(session, "printf '\\xff\\xfeh\\0i\\0' | tee wide.txt > wide.ts");
    expect((await call("read_file", { path: "wide.txt" })).text).toBe("wide.txt: lines 1-1 of 1, UTF-16LE text, shown as UTF-8\nhi");
    for (const [name, input] of [
      ["write_file", { content: "new" }],
      ["edit_file", { old_string: "hi", new_string: "ho" }],
      ["edit_file", { insert_line: 0, new_string: "ho" }],
    ] as const)
      expect(await call(name, { path: "wide.txt", ...input })).toMatchObject({ isError: true, text: expect.stringContaining("iconv -f UTF-16LE") });
    for (const [name, input] of [
      ["apply_patch", { patch: "*** Begin Patch\n*** Update File: wide.txt\n@@\n-hi\n+ho\n*** End Patch" }],
      ["notebook_edit", { path: "wide.txt", cell_number: 0, source: "ho" }],
      ["code_rewrite", { paths: ["wide.ts"], pattern: "hi", rewrite: "ho" }],
    ] as const)
      expect(await call(name, input)).toMatchObject({ isError: true, text: expect.stringContaining("iconv -f UTF-16LE") });
    expect((await run(session, "cmp wide.txt wide.ts; rm wide.ts; od -An -tx1 wide.txt")).out.trim()).toBe("ff fe 68 00 69 00");
  });

  test("read_file shows nothing of a forbidden file", async () => {
    expect((await call("read_file", { path: ".env" })).text).not.toContain("SECRET");
  });

  test("read_file refuses a binary file and one that is too large", async () => {
    await run(session, "head -c 100 /dev/zero > zero.bin; head -c 11000000 /dev/zero | tr '\\0' 'a' > large.txt");
    expect((await call("read_file", { path: "zero.bin" })).text).toContain("binary file of 100 bytes");
    expect((await call("read_file", { path: "large.txt" })).text).toContain("more than read_file opens");
  });

  test("write_file creates a file with its directories and shows it", async () => {
    const answer = await call("write_file", { path: "new/deep/b.txt", content: "one\ntwo\n" });
    expect(answer.text).toBe("Created new/deep/b.txt (8 bytes).\n@@ -1,0 +1,2 @@\n+one\n+two");
    expect((await run(session, "cat new/deep/b.txt")).out).toBe("one\ntwo\n");
  });

  test("write_file overwrites only what was read as it is now", async () => {
    await run(session, "printf 'v1\\n' > versioned.txt");
    expect((await call("write_file", { path: "versioned.txt", content: "v2\n" })).text).toContain("was not read in this run");
    await call("read_file", { path: "versioned.txt" });
    await run(session, "printf 'v1b\\n' > versioned.txt");
    expect((await call("write_file", { path: "versioned.txt", content: "v2\n" })).text).toContain("changed since it was read");
    await call("read_file", { path: "./versioned.txt" });
    expect((await call("write_file", { path: "versioned.txt", content: "v2\n" })).text).toBe("Overwrote versioned.txt (3 bytes).\n@@ -1,1 +1,1 @@\n-v1b\n+v2");
    expect((await call("write_file", { path: "versioned.txt", content: "v3\n" })).isError).toBe(false);
    expect((await run(session, "cat versioned.txt")).out).toBe("v3\n");
  });

  test("edit_file changes the one place, and says what was nearest when there is none", async () => {
    expect((await call("edit_file", { path: "src/a.ts", old_string: "two = 2", new_string: "two = 22" })).text).toBe(
      "Edited src/a.ts (1 replaced).\n@@ -1,2 +1,2 @@\n export const one = 1;\n-export const two = 2;\n+export const two = 22;",
    );
    expect((await call("edit_file", { path: "src/a.ts", old_string: "export", new_string: "x" })).text).toContain("occurs 2 times (lines 1, 2)");
    expect((await call("edit_file", { path: "src/a.ts", old_string: "export const one=1", new_string: "x" })).text).toContain(
      "The nearest is line 1: export const one = 1;",
    );
    expect((await call("edit_file", { path: "src/a.ts", old_string: "x", new_string: "x" })).text).toContain("nothing to change");
    await run(session, "seq 1 40 > numbers.txt");
    const edits = [
      { old_string: "\n2\n", new_string: "\ntwo\n" },
      { insert_line: 40, new_string: "end" },
    ];
    expect((await call("edit_file", { path: "numbers.txt", edits })).text).toBe(
      "Edited numbers.txt (1 replaced, 1 lines inserted).\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -38,3 +38,4 @@\n 38\n 39\n 40\n+end",
    );
    expect((await call("edit_file", { path: "numbers.txt", edits })).text).toContain("Edit 1 of 2: old_string does not occur");
    expect((await run(session, "md5sum < numbers.txt; (echo 1; echo two; seq 3 40; echo end) | md5sum | cmp - <(md5sum < numbers.txt)")).code).toBe(0);
  });

  test("edit_file keeps CRLF and the byte-order mark", async () => {
    await call("edit_file", { path: "dos.txt", old_string: "one\ntwo", new_string: "1\n2" });
    await call("edit_file", { path: "marked.txt", old_string: "marked", new_string: "still" });
    expect((await run(session, "od -An -c dos.txt; od -An -tx1 marked.txt")).out.replace(/\s+/gu, " ")).toBe(
      " 1 \\r \\n 2 \\r \\n ef bb bf 73 74 69 6c 6c 0a ",
    );
  });

  test("edit_file refuses bytes that it could not write back", async () => {
    await run(session, "printf 'a\\377b\\n' > latin.txt");
    expect((await call("edit_file", { path: "latin.txt", old_string: "a", new_string: "b" })).text).toContain("Latin-1 text, not UTF-8");
  });

  test("apply_patch makes all of a patch: adds, updates, moves with the mode, and deletes", async () => {
    await run(session, "mkdir -p pa; printf 'a\\nb\\n' > pa/up; printf 'x\\n' > pa/old; chmod 755 pa/old; printf 'gone\\n' > pa/gone");
    const patch =
      "*** Begin Patch\n*** Add File: pa/deep/new\n+one\n*** Update File: pa/up\n@@\n a\n-b\n+B\n*** Update File: pa/old\n*** Move to: pa/it's/moved\n@@\n-x\n+y\n*** Delete File: pa/gone\n*** End Patch\n";
    expect((await call("apply_patch", { input: patch })).text).toBe(
      "Added pa/deep/new (4 bytes)\n@@ -1,0 +1,1 @@\n+one\nUpdated pa/up\n@@ -1,2 +1,2 @@\n a\n-b\n+B\nUpdated pa/old and moved it to pa/it's/moved\n@@ -1,1 +1,1 @@\n-x\n+y\nDeleted pa/gone",
    );
    expect((await run(session, "cd pa; find . -type f -printf '%p %m\\n' | sort; cat deep/new up it*/moved")).out).toBe(
      "./deep/new 644\n./it's/moved 755\n./up 644\none\na\nB\ny\n",
    );
  });

  test("apply_patch makes nothing of a patch that cannot be made as a whole, and takes back what it wrote", async () => {
    await run(session, "mkdir -p all/locked; printf 'a\\n' > all/up; printf 'x\\n' | tee all/free > all/locked/x; chmod 555 all/locked");
    const before = (await run(session, "find all | sort; cat all/up all/locked/x")).out;
    const begin = "*** Begin Patch\n*** Update File: all/up\n@@\n-a\n+A\n*** Add File: all/new\n+n\n";
    const ends = {
      "all/locked/x: hunk 1 of 1 has no place": "*** Update File: all/locked/x\n@@\n-missing\n+y\n",
      "all/up more than once": "*** Delete File: all/up\n",
      "There is no such file": "*** Delete File: all/missing\n",
      "exists already": "*** Add File: all/locked/x\n+y\n",
      "writing all/locked/other": "*** Add File: all/locked/other\n+y\n",
      "moving and deleting": "*** Update File: all/free\n*** Move to: all/moved\n*** Delete File: all/locked/x\n",
      "may not be written": "*** Delete File: all/free\n*** Delete File: all/locked/x\n",
    };
    for (const [words, end] of Object.entries(ends)) {
      const answer = await call("apply_patch", { patch: `${begin}${end}*** End Patch` });
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(words) });
      expect(answer.text).toContain("Nothing was changed.");
      expect((await run(session, "find all | sort; cat all/up all/locked/x")).out).toBe(before);
    }
    const other = await call("apply_patch", { patch: "--- a/all/up\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n" });
    expect(other).toMatchObject({ isError: true, text: expect.stringContaining("hunk 1 of 1 has no place") });
    const part = await call("apply_patch", { patch: "--- a/README.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-# Title\n" });
    expect(part).toMatchObject({ isError: true, text: expect.stringContaining("more lines than the patch that deletes it") });
  });

  test("notebook_edit changes a cell, and refuses what is no notebook", async () => {
    await run(session, `printf '%s' '{"cells": [{"cell_type": "raw", "metadata": {}, "source": "a"}], "nbformat": 4,   "nbformat_minor": 4}' > n.ipynb`);
    expect((await call("NotebookEdit", { notebook_path: "n.ipynb", cell_number: 0, new_source: "b" })).text).toBe(
      "Edited n.ipynb (cell 0, replace).\n@@ -1,1 +1,1 @@\n-a\n+b",
    );
    expect((await run(session, "cat n.ipynb")).out).toBe(
      '{"cells": [{"cell_type": "raw", "metadata": {}, "source": "b"}], "nbformat": 4,   "nbformat_minor": 4}',
    );
    expect(await call("notebook_edit", { path: "README.md", cell_number: 0, source: "b" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("no JSON"),
    });
  });

  test("list_files marks directories and links, and descends as asked", async () => {
    await run(session, "ln -s /etc/passwd link; mkfifo pipe");
    const { text } = await call("list_files", {});
    expect(text).toContain("\nREADME.md  31\n");
    expect((await call("LS", { ignore: ["*.md", "many"] })).text).not.toMatch(/README|many/u);
    expect(text).toContain("\nlink@\n");
    expect(text).toContain("\npipe?\n");
    expect(text).toContain("\nsrc/\n");
    expect(text).not.toContain("a.ts");
    expect((await call("list_files", { depth: 2 })).text).toContain("\nsrc/a.ts  ");
  });

  test("list_files stops at 1000 entries and says so, and follows no link", async () => {
    await run(session, "mkdir full && cd full && ln -s . again && touch $(seq -f entry-%g 1 1100)");
    const { text } = await call("list_files", { path: "full", depth: 3 });
    expect(text).toMatch(/^full: 1000 entries, truncated\n/u);
    expect(text).toContain("[Cut at 1000 entries");
    expect(text).not.toContain("again/");
  });

  test("list_files counts what is in .git and node_modules, and lists it when it is asked for by name", async () => {
    await run(session, "mkdir -p pack/node_modules/left-pad; touch pack/node_modules/left-pad/index.js");
    const { text } = await call("list_files", { path: "pack", depth: 3 });
    expect(text).toBe("pack: 3 entries\nnode_modules/\n[node_modules/: 2 entries not shown]");
    expect((await call("list_files", { path: "pack/node_modules", depth: 2 })).text).toContain("left-pad/index.js");
  });

  test("grep_search finds, counts and names, within its caps", async () => {
    const { text } = await call("grep_search", { pattern: "second" });
    // Over a forbidden file lies one that nobody can read; in an overlay of the engine's there is none.
    const skipped = session.mount === "overlay-by-engine" ? "" : "\n[Skipped, because they cannot be read: 1]";
    expect(text).toBe(`README.md\n2:second line${skipped}`);
    expect((await call("grep_search", { pattern: "second", context: 1, path: "README.md" })).text).toBe("README.md\n1-# Title\n2:second line\n3-third line");
    expect((await call("grep_search", { pattern: "needle", path: "many", max_files: 1 })).text).toBe(
      `many/file-0.txt\n${[1, 2, 3, 4, 5].map((line) => `${line}:needle`).join("\n")}\n[more matches in this file]\n[7 more files match; narrow the search]`,
    );
    expect((await call("grep_search", { pattern: "needle", path: "many", mode: "count", max_files: 2 })).text).toBe(
      "many/file-0.txt: 7\nmany/file-1.txt: 7\n[6 more files match; narrow the search]",
    );
    expect((await call("grep_search", { pattern: "NEEDLE", ignore_case: true, path: "many", mode: "files", glob: "*-3.txt" })).text).toBe("many/file-3.txt");
    // What only an engine finds that may take forever is no pattern here.
    expect(await call("grep_search", { pattern: "(e+)\\1", path: "many" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("backreferences are not supported"),
    });
    await run(session, "mkdir lots && cd lots && for at in $(seq -w 120); do echo lot > $at.lot; done");
    expect((await call("grep_search", { pattern: "lot", path: "lots" })).text).toMatch(
      /^lots\/001\.lot\n1:lot\n[^]*\nlots\/100\.lot\n1:lot\n\[20 more files match; narrow the search\]$/u,
    );
    await run(session, "rm -r lots");
    expect(await call("grep_search", { pattern: "nowhere-to-be-found" })).toMatchObject({
      isError: false,
      text: `No match below ..${skipped}`,
    });
    expect(await call("grep_search", { pattern: "x", path: "missing" })).toMatchObject({ isError: true, text: expect.stringContaining("No such file") });
  });

  test("grep_search takes a pattern that looks like an option as a pattern", async () => {
    expect((await call("grep_search", { pattern: "--pre=touch /tmp/owned" })).text).toContain("dash.txt\n1:--pre=touch /tmp/owned");
    expect((await run(session, "ls /tmp/owned")).code).not.toBe(0);
    const broken = await call("grep_search", { pattern: "(" });
    expect(broken.isError).toBe(true);
    expect(broken.text).toContain("regex parse error");
  });

  test("glob_search names what matches, sorted, within its cap, and follows no link", async () => {
    await run(
      session,
      "mkdir -p deep/er 'odd\nname' && touch deep/er/x.ts deep/y.tsx 'odd\nname/z.ts' && ln -s deep root && mkdir -p sub/.git && touch sub/.git/hidden.ts",
    );
    expect((await call("glob_search", { pattern: "*.ts" })).text).toBe("deep/er/x.ts\nodd\\nname/z.ts\nsrc/a.ts");
    expect((await call("glob", { pattern: "deep/**/*.{ts,tsx}" })).text).toBe("deep/er/x.ts\ndeep/y.tsx");
    expect((await call("glob_search", { pattern: "*.tsx", path: "deep" })).text).toBe("deep/y.tsx");
    expect((await call("glob_search", { pattern: "file-*", max_files: 2 })).text).toBe(
      "many/file-0.txt\nmany/file-1.txt\n[6 more files match; narrow the search]",
    );
    await run(session, "mkdir lots && cd lots && touch $(seq -f %g.lot 1001 1220)");
    expect((await call("glob_search", { pattern: "*.lot" })).text).toMatch(
      /^lots\/1001\.lot\n[^]*\nlots\/1200\.lot\n\[20 more files match; narrow the search\]$/u,
    );
    await run(session, "rm -r lots");
    expect((await call("glob_search", { pattern: "*.nothing" })).text).toBe("No file matches below ..");
    expect(await call("glob_search", { pattern: "--files" })).toMatchObject({ isError: false, text: "No file matches below .." });
    expect(await call("glob_search", { pattern: "{a" })).toMatchObject({ isError: true, text: expect.stringContaining("error parsing glob") });
    expect(await call("glob_search", { pattern: "*", path: "missing" })).toMatchObject({ isError: true });
    await run(session, "cd sub && mkdir gone && touch seen.js gone/hidden.js && echo gone/ > .gitignore");
    expect((await call("glob_search", { pattern: "*.js", path: "sub" })).text).toBe("sub/seen.js");
    await run(session, "rm -r sub/gone sub/seen.js sub/.gitignore");
  });

  test("glob_search and grep_search skip what .gitignore names also where there is no repository, unless ripgrep is too old for it", async () => {
    const old = 'for a; do [ "$a" != --no-require-git ] || { echo "error: Found argument \'$a\' which wasn\'t expected" >&2; exit 2; }; done\nexec rg "$@"';
    await run(session, `printf '#!/bin/sh\\n' > old-rg && cat >> old-rg <<'END'\n${old}\nEND\nchmod +x old-rg`);
    await run(session, "mkdir -p plain/gone && echo found > plain/seen.js && echo found > plain/gone/hidden.js && echo gone/ > plain/.gitignore");
    const [glob, grep] = [
      { pattern: "*.js", path: "plain" },
      { pattern: "found", path: "plain", mode: "files" },
    ];
    for (const [tool, input] of [
      ["glob_search", glob],
      ["grep_search", grep],
    ] as const) {
      expect((await call(tool, input)).text).toBe("plain/seen.js");
      const beside = toolCaller(session, fixture.workspace, `${fixture.workspace}/old-rg`);
      expect((await beside(tool, input)).text).toBe("plain/gone/hidden.js\nplain/seen.js");
    }
    await run(session, "rm -r plain old-rg");
  });

  test("glob_search finds the same without ripgrep, and says so", async () => {
    await run(session, "mkdir -p deep/er && touch deep/er/x.ts deep/y.tsx");
    const without = toolCaller(session, fixture.workspace, "no-such-program");
    const note = "\n[Found without ripgrep: also what .gitignore names]";
    for (const input of [
      { pattern: "*.ts" },
      { pattern: "deep/**/*.{ts,tsx}" },
      { pattern: "**/x.ts" },
      { pattern: "/deep/*" },
      { pattern: "*.tsx", path: "deep" },
      { pattern: "deep/*", path: "deep" },
      { pattern: "many/file-[0-2].txt" },
      { pattern: "many/**" },
      { pattern: "file-*", max_files: 2 },
      { pattern: "src" },
      { pattern: "src/" },
      { pattern: "file-(0).txt" },
      { pattern: "\\*.ts" },
      { pattern: "*.nothing" },
    ])
      expect((await without("glob_search", input)).text, JSON.stringify(input)).toBe(`${(await call("glob_search", input)).text}${note}`);
    const braces = "{a,b}".repeat(100);
    for (const pattern of ["{a", "a}", braces])
      expect(await without("glob_search", { pattern })).toMatchObject({ isError: true, text: expect.stringContaining("braces") });
    expect(await without("glob_search", { pattern: "*", path: "missing" })).toMatchObject({ isError: true });
    // However hostile, it ends, and says that it did not see everything.
    await run(session, "mkdir long && cd long && for at in $(seq 300); do : > $(printf '%0200d' $at)b; done");
    const answer = await without("glob_search", { pattern: "*0".repeat(500), path: "long" });
    expect(answer.text).toContain("[Not everything was looked at");
    await run(session, "rm -r long");
  });

  test("grep_search finds plain text where there is no ripgrep, and says what it cannot", async () => {
    const without = toolCaller(session, fixture.workspace, "no-such-program");
    const note = "\n[Searched without ripgrep: for plain text, also in what .gitignore names]";
    expect((await without("grep_search", { pattern: "second", path: "README.md" })).text).toBe(`README.md\n2:second line${note}`);
    expect((await without("grep_search", { pattern: "needle", path: "many", max_files: 1 })).text).toBe(
      `many/file-0.txt\n${[1, 2, 3, 4, 5].map((line) => `${line}:needle`).join("\n")}\n[more matches in this file]\n[7 more files match; narrow the search]${note}`,
    );
    expect((await without("grep_search", { pattern: "NEEDLE", ignore_case: true, path: "many", mode: "count", max_files: 1 })).text).toBe(
      `many/file-0.txt: 7 lines\n[7 more files match; narrow the search]${note}`,
    );
    expect((await without("grep_search", { pattern: "two = 2\\{?", mode: "files" })).isError).toBe(true);
    expect((await without("grep_search", { pattern: "one = 1;", path: "src", mode: "files" })).text).toBe(`src/a.ts${note}`);
    expect((await without("grep_search", { pattern: "SECRET" })).text).not.toContain("SECRET=1");
    for (const input of [
      { pattern: "a.*b" },
      { pattern: "a", glob: "*.ts" },
      { pattern: "ä", ignore_case: true },
      { pattern: "second", context: 1 },
      { pattern: "second", before: 1 },
      { pattern: "second", after: 2 },
    ])
      expect(await without("grep_search", input)).toMatchObject({ isError: true, text: expect.stringContaining("there is no ripgrep") });
    expect(await without("grep_search", { pattern: "x", path: "missing" })).toMatchObject({ isError: true });
  });

  test("grep_search says where it did not look when there is no ripgrep", async () => {
    const without = toolCaller(session, fixture.workspace, "no-such-program");
    const unseen = "\n[Not everything was searched: there is more, or it lies deeper, than a search tells; narrow it]";
    await run(
      session,
      "mkdir -p $(printf 'deep-down/%.0s' $(seq 66)); echo hidden-below > $(printf 'deep-down/%.0s' $(seq 66))f; yes often | head -n 20001 > often.txt",
    );
    expect((await without("grep_search", { pattern: "hidden-below", path: "deep-down" })).text).toContain(`No match below deep-down.${unseen}`);
    expect((await without("grep_search", { pattern: "often", path: "often.txt", mode: "count" })).text).toContain(`often.txt: 20000 lines${unseen}`);
    expect((await without("grep_search", { pattern: "often", path: "often.txt", mode: "files" })).text).not.toContain("Not everything");
    await run(session, "rm -r deep-down often.txt");
  });

  test("grep_search finds nothing in a forbidden file", async () => {
    expect((await call("grep_search", { pattern: "SECRET" })).text).not.toContain("SECRET=1");
  });
});
