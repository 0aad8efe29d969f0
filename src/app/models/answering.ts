import type { ModelProvider } from "../../providers/contract/provider.ts";

/** Notes which of a run's models was asked last: what it answers is counted at its price. */
export type AskedModels = {
  /** The same provider, noted when it is asked. `id`: the model that gives its last word. */
  readonly noted: <T extends ModelProvider>(provider: T, id: () => string) => T;
  readonly last: () => string;
};

export function askedModels(first: string): AskedModels {
  let last = (): string => first;
  return {
    noted: (provider, id) => ({
      ...provider,
      stream: (request, signal) => {
        last = id;
        return provider.stream(request, signal);
      },
    }),
    last: () => last(),
  };
}
