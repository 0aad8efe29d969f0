import type { PlaygroundInput, PlaygroundView } from "../evaluate.ts";

/** What the page asks its worker, which keeps nothing between two questions. */
export type Question = { readonly id: number; readonly input: PlaygroundInput; readonly shipped: Readonly<Record<string, string>> };
export type Answer = { readonly id: number } & ({ readonly view: PlaygroundView } | { readonly fault: string });
