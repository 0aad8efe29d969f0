/**
 * Reads one password of the system's keyring and writes it to standard output: a process of its own, so that a keyring which waits for a person to unlock it
 * can be given up, and what answers on D-Bus is never loaded beside a run. Exit code 3: there is no such entry. 4: no keyring answers, its words on standard error.
 */
import { Entry } from "@napi-rs/keyring";

const [service = "", account = ""] = process.argv.slice(2);
try {
  // Without this, the kernel's keyring is asked where no desktop's answers, and would say that there is no such entry.
  const password = new Entry(service, account, { linux: { store: "secret-service" } }).getPassword();
  if (password === null) process.exitCode = 3;
  else process.stdout.write(password);
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : "unknown fault");
  process.exitCode = 4;
}
