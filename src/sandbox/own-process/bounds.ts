export type ProcessBounds = {
  /** Of memory, in KiB. Not an address space, of which WebAssembly reserves gigabytes. */
  readonly dataKib: number;
  readonly cpuSeconds: number;
};

/** What starts a program within bounds that the shell sets before it begins: no file, no core, its memory and its time, should Warder be gone. */
export function bounded({ dataKib, cpuSeconds }: ProcessBounds, command: readonly string[]): { readonly program: string; readonly words: readonly string[] } {
  const bounds = `ulimit -c 0 && ulimit -f 0 && ulimit -t ${cpuSeconds} && ulimit -d ${dataKib} && exec "$@"`;
  return { program: "/bin/sh", words: ["-c", bounds, "sh", ...command] };
}
