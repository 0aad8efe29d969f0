import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFixture, ORDINARY_UID, OWN_UID, type SandboxFixture } from "../contract/sandbox-fixture.ts";
import type { Attack } from "./attack.ts";
import { buildProbe } from "./probe.ts";

/** Begins every text that must never be seen inside. */
export const SECRET_PREFIX = "CANARY-";

/** The ground on which one session is attacked: a workspace, a root that is only read, and a folder of the host beside them. */
export type Place = SandboxFixture & { readonly outside: string; readonly reference: string; readonly secret: string; readonly probe: string };

/** Makes it, with `probe` compiled from the attacks that are in C (or copied from where it was compiled before). */
export function makePlace(attacks: readonly Attack[], compiled: string | null): Place {
  const secret = `${SECRET_PREFIX}${Math.random().toString(36).slice(2)}`;
  const fixture = makeFixture(
    {
      "a.txt": "alpha\n",
      "folder/b.txt": "beta\n",
      "other/c.txt": "gamma\n",
      ".env": secret,
      "deep/er/.env": secret,
      "secrets/key": secret,
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/config": "[core]\n",
      ".git/objects/.keep": "",
      ".git/refs/.keep": "",
      ".git/hooks/post-update.sample": "sample\n",
      "policies/own.yaml": "version: 1\n",
    },
    ORDINARY_UID,
  );
  const outside = join(fixture.folder, "outside");
  const reference = join(fixture.folder, "reference");
  for (const folder of [outside, reference, join(reference, "mounted"), join(reference, "later")]) mkdirSync(folder);
  for (const file of [join(outside, "secret"), join(fixture.state, "warder.db"), join(reference, ".env")]) writeFileSync(file, secret);
  writeFileSync(join(reference, "doc.txt"), "doc\n");
  if (OWN_UID === 0) {
    execFileSync("mount", ["-t", "tmpfs", "none", join(reference, "mounted")]);
    writeFileSync(join(reference, "mounted", "secret"), secret);
  }
  const probe = join(reference, "probe");
  if (compiled === null) buildProbe(attacks, reference);
  else copyFileSync(compiled, probe);
  chmodSync(probe, 0o755);
  writeFileSync(join(outside, ".count"), String(readdirSync(outside).length));
  writeFileSync(join(outside, ".parents"), String(readdirSync(fixture.folder).length + 1));
  const remove = (): void => {
    for (const name of OWN_UID === 0 ? ["mounted", "later"] : []) unmount(join(reference, name));
    fixture.remove();
  };
  return { ...fixture, outside, reference, secret, probe, remove };
}

function unmount(folder: string): void {
  try {
    execFileSync("umount", ["--lazy", folder], { stdio: "pipe" });
  } catch (error) {
    // Exit 32: nothing is mounted there.
    if ((error as { status?: number }).status !== 32) throw error;
  }
}
