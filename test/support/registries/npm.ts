import { tarballOf } from "./archives.ts";
import { type Answers, digestOf, type Package, type Places } from "./package.ts";

/** `require("greeting")` is `"hello"`, and needs a package with a scope for it. */
export const NPM_PACKAGES: readonly Package[] = [
  {
    name: "greeting",
    version: "1.0.0",
    needs: { "@words/hello": "1.0.0" },
    files: { "index.js": 'module.exports = require("@words/hello");\n', "greet.js": "#!/usr/bin/env node\nconsole.log(require('./index.js'));\n" },
  },
  { name: "@words/hello", version: "1.0.0", files: { "index.js": 'module.exports = "hello";\n' } },
];

/** A document for each package and a tarball for each version (https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md). */
export function npmAnswers({ archives }: Places, packages: readonly Package[] = NPM_PACKAGES): Answers {
  const answers = new Map();
  for (const { name, version, files, needs = {} } of packages) {
    const manifest = { name, version, main: "index.js", dependencies: needs, ...("greet.js" in files ? { bin: { greet: "greet.js" } } : {}) };
    const packed = Object.fromEntries(Object.entries(files).map(([path, content]) => [`package/${path}`, content]));
    const tarball = tarballOf({ "package/package.json": JSON.stringify(manifest), ...packed });
    const path = `/${name}/-/${name.replace(/^.*\//u, "")}-${version}.tgz`;
    const dist = { tarball: `${archives}${path}`, integrity: `sha512-${digestOf("sha512", tarball, "base64")}` };
    const document = JSON.stringify({ name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } });
    answers.set(path, { type: "application/octet-stream", body: tarball });
    answers.set(`/${name}`, { type: "application/json", body: document });
  }
  return answers;
}
