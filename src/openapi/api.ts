import { digestOf } from "../base/digest.ts";

/** An API whose document a person named, and which of its operations are to be tools. Where no operation is chosen, all are. */
export type ApiDocument = {
  readonly name: string;
  /** The document's absolute path on this machine; absent: it is read at its address. */
  readonly file?: string;
  readonly url?: string;
  /** Where its requests go; absent: where the document says. */
  readonly server?: string;
  /** Identifiers of operations, or `GET /path` as the document writes it. */
  readonly operations: readonly string[];
  readonly tags: readonly string[];
  /** Globs of paths as the document writes them. */
  readonly paths: readonly string[];
};

/** What a person confirms beside the tools. */
export const apiDigest = (api: ApiDocument): string => digestOf(api);
