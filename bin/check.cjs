"use strict";
// Starts `warder check` and `warder hook`. scripts/setup bundles what that takes into one folder of .tools, for 300 modules load slowly; this
// decides whether the bundle may be used, and starts src/cli/main.ts where it may not. It may only as long as every source,
// every package's file that went into it and the bundle itself are, to the file system, what they were when it was made.
const { readFileSync, statSync } = require("node:fs");
const { join } = require("node:path");

const root = join(__dirname, "..");
const stampPath = join(root, ".tools", "check.json");

/** What changes when a file does: nobody but the system sets the time of a file's last change. */
function signatureOf(path) {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? "absent" : `${status.size} ${status.mtimeMs} ${status.ctimeMs} ${status.ino}`;
}

/** What scripts/build-check.ts wrote last; null when there is nothing that can be read, or others than the owner of the checkout could have written it. */
function readStamp() {
  const status = statSync(stampPath, { throwIfNoEntry: false });
  if (status === undefined || (status.mode & 0o022) !== 0 || status.uid !== statSync(__filename).uid) return null;
  try {
    return JSON.parse(readFileSync(stampPath, "utf8"));
  } catch {
    return null; // Cut short or unreadable: there is no bundle then.
  }
}

/** The file to load, or null when there is no bundle or something changed. */
function currentBundle() {
  const stamp = readStamp();
  if (stamp === null) return null;
  for (const path in stamp.files) if (signatureOf(`${root}/${path}`) !== stamp.files[path]) return null;
  return join(root, stamp.main);
}

function loadBundle() {
  const path = currentBundle();
  try {
    return path === null ? null : require(path);
  } catch {
    return null; // Removed meanwhile by a setup that made a newer one.
  }
}

async function main() {
  const bundle = loadBundle();
  if (bundle === null || !(await bundle.answerQuickly(process.argv.slice(2)))) await import("../src/cli/main.ts");
}

module.exports = { currentBundle, signatureOf };
if (require.main === module) void main();
