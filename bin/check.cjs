"use strict";
// Starts Warder's command line from a bundle, for a thousand modules load slowly. scripts/setup makes two, each in a folder of .tools: a lean one of
// what `warder check` and `warder hook` take, and one of everything. This decides whether a bundle may be used, and starts src/cli/main.ts where none may.
// One may only as long as every source, every package's file that went into it and the bundle itself are, to the file system, what they were when it was made.
const { readFileSync, statSync } = require("node:fs");
const { join } = require("node:path");
const { pathToFileURL } = require("node:url");

const root = join(__dirname, "..");

/** What changes when a file does: nobody but the system sets the time of a file's last change. */
function signatureOf(path) {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? "absent" : `${status.size} ${status.mtimeMs} ${status.ctimeMs} ${status.ino}`;
}

/** What was written of a bundle when it was made; null when there is nothing that can be read, or others than the owner of the checkout could have written it. */
function readStamp(name) {
  const stampPath = join(root, ".tools", `${name}.json`);
  const status = statSync(stampPath, { throwIfNoEntry: false });
  if (status === undefined || (status.mode & 0o022) !== 0 || status.uid !== statSync(__filename).uid) return null;
  try {
    return JSON.parse(readFileSync(stampPath, "utf8"));
  } catch {
    return null; // Cut short or unreadable: there is no bundle then.
  }
}

/** The file to load, or null when there is no bundle of this name (`check`, `command`) or something changed. */
function currentBundle(name) {
  const stamp = readStamp(name);
  if (stamp === null) return null;
  for (const path in stamp.files) if (signatureOf(`${root}/${path}`) !== stamp.files[path]) return null;
  return join(root, stamp.main);
}

function loadCheck() {
  const path = currentBundle("check");
  try {
    return path === null ? null : require(path);
  } catch {
    return null; // Removed meanwhile by a setup that made a newer one.
  }
}

async function main() {
  const argv = process.argv.slice(2);
  const isQuick = argv[0] === "check" || argv[0] === "hook";
  if (isQuick && (await loadCheck()?.answerQuickly(argv))) return;
  const path = currentBundle("command");
  await import(path === null ? "../src/cli/main.ts" : pathToFileURL(path).href);
}

module.exports = { currentBundle, signatureOf };
if (require.main === module) void main();
