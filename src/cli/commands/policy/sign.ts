import { makeVisibleLine, visibleJson } from "../../../base/text.ts";
import { type SignedFile, signPolicy, verifyPolicy } from "../../../config/policy/signature.ts";
import { EXIT } from "../../process/exit-code.ts";

export type SignOptions = { key: string; json?: boolean };

/** `warder policy sign FILE --key PRIVATE`: writes FILE.sig. Exit 0. */
export function signCommand(file: string, { key: keyPath, json }: SignOptions): number {
  const { path, key } = signPolicy(file, keyPath);
  process.stdout.write(json === true ? `${visibleJson({ signature: path, key })}\n` : `${makeVisibleLine(path)}: signed by the key ${key}\n`);
  return EXIT.done;
}

const WORDS: Readonly<Record<SignedFile["finding"], string>> = {
  valid: "signed, and as it was signed",
  unsigned: "not signed",
  unreadable: "its signature cannot be read",
  "another-key": "signed by another key",
  "another-text": "not the text that was signed",
};

/** `warder policy verify FILE --key PUBLIC`: exit 0 when the file and all that it extends are as they were signed, else 1. */
export function verifyCommand(file: string, { key: keyPath, json }: SignOptions): number {
  const { files, key } = verifyPolicy(file, keyPath);
  if (json === true) process.stdout.write(`${visibleJson({ files, key })}\n`);
  else for (const { file: each, finding } of files) process.stdout.write(`${makeVisibleLine(each)}: ${WORDS[finding]}\n`);
  return files.every(({ finding }) => finding === "valid") ? EXIT.done : EXIT.failed;
}
