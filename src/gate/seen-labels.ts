import { distinctLabels, type Label } from "../policy/label.ts";

/** More than anybody reads. The first that is untrusted and the first that is sensitive stay, whatever comes behind them. */
const MAX_LABELS = 100;

/** The labels of all that the model of a run has been given. They only grow: what was seen cannot be taken back from a conversation that goes on. */
export type SeenLabels = {
  readonly all: () => readonly Label[];
  readonly add: (labels: readonly Label[]) => void;
};

export function createSeenLabels(before: readonly Label[]): SeenLabels {
  let known = distinctLabels(before, MAX_LABELS);
  return {
    all: () => known,
    add: (labels) => {
      if (labels.length > 0) known = distinctLabels([...known, ...labels], MAX_LABELS);
    },
  };
}

/** What was written while something sensitive had been seen, shared by a run and its sub-agents: whoever reads it has seen that, too. */
export type WrittenLabels = {
  /** `path` null: by a command, so anywhere. */
  readonly note: (path: string | null, labels: readonly Label[]) => void;
  /** Of these paths; null: of whatever a command may read. */
  readonly of: (paths: readonly string[] | null) => readonly Label[];
};

export function createWrittenLabels(before: readonly Label[] = []): WrittenLabels {
  const byPath = new Map<string | null, readonly Label[]>([[null, sensitive(before)]]);
  return {
    note: (path, labels) => {
      const found = sensitive(labels);
      if (found.length > 0) byPath.set(path, distinctLabels([...(byPath.get(path) ?? []), ...found], MAX_LABELS));
    },
    of: (paths) => (paths === null ? [...byPath.values()].flat() : [null, ...paths].flatMap((path) => byPath.get(path) ?? [])),
  };
}

const sensitive = (labels: readonly Label[]): readonly Label[] => labels.filter(({ isSensitive }) => isSensitive);
