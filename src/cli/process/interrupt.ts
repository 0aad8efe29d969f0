/**
 * Runs `work` with a signal that fires at Ctrl-C, SIGTERM or SIGHUP. `work` then ends by itself, with nothing left
 * running; `onInterrupt` may say so first. A second Ctrl-C ends the process at once, and the sandbox with it (it ends when its owner does).
 */
export async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>, onInterrupt: () => void = () => undefined): Promise<T> {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
    onInterrupt();
  };
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const name of signals) process.on(name, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of signals) process.off(name, interrupt);
  }
}
