import type { DirectoryFd } from "./tree.ts";

/** The open directories of an overlay: what the run wrote, and the workspace below it. */
export type Layers = { readonly upper: DirectoryFd; readonly lower: DirectoryFd };
