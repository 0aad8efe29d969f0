import { tarballOf } from "./archives.ts";
import { type Answers, digestOf, type Package, type Places } from "./package.ts";

/** `greeting::TEXT` is `"hello"`. */
export const CRATES: readonly Package[] = [
  { name: "greeting", version: "1.0.0", needs: { "greeting-words": "1.0.0" }, files: { "src/lib.rs": "pub use greeting_words::TEXT;\n" } },
  { name: "greeting-words", version: "1.0.0", files: { "src/lib.rs": 'pub const TEXT: &str = "hello";\n' } },
];

/** A sparse index and the crates themselves (https://doc.rust-lang.org/cargo/reference/registry-index.html). */
export function cratesAnswers({ index, archives }: Places, crates: readonly Package[] = CRATES): Answers {
  const answers = new Map();
  answers.set("/config.json", { type: "application/json", body: JSON.stringify({ dl: `${archives}/crates/{crate}/{version}/download`, api: index }) });
  for (const { name, version, files, needs = {} } of crates) {
    const manifest = `[package]\nname = "${name}"\nversion = "${version}"\nedition = "2021"\n[dependencies]\n${Object.entries(needs)
      .map(([needed, exact]) => `${needed} = "${exact}"\n`)
      .join("")}`;
    const packed = Object.fromEntries(Object.entries({ "Cargo.toml": manifest, ...files }).map(([path, content]) => [`${name}-${version}/${path}`, content]));
    const crate = tarballOf(packed);
    const deps = Object.entries(needs).map(([needed, exact]) => ({
      name: needed,
      req: `^${exact}`,
      features: [],
      optional: false,
      default_features: true,
      target: null,
      kind: "normal",
    }));
    const line = JSON.stringify({ name, vers: version, deps, cksum: digestOf("sha256", crate), features: {}, yanked: false });
    answers.set(`/${folderOf(name)}/${name}`, { type: "text/plain", body: `${line}\n` });
    answers.set(`/crates/${name}/${version}/download`, { type: "application/gzip", body: crate });
  }
  return answers;
}

function folderOf(name: string): string {
  if (name.length <= 2) return String(name.length);
  return name.length === 3 ? `3/${name.slice(0, 1)}` : `${name.slice(0, 2)}/${name.slice(2, 4)}`;
}
