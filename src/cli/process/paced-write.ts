/**
 * Writes a text. If the reader is slow (`warder exec … | less`), returns a promise that resolves when it has caught up, or has gone. Files and terminals
 * are written at once.
 */
export function writePaced(stream: NodeJS.WriteStream, text: string): Promise<unknown> | undefined {
  if (stream.write(text) || stream.destroyed) return undefined;
  const known = waiting.get(stream);
  if (known !== undefined) return known;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const end = (): void => {
    waiting.delete(stream);
    for (const name of ENDS) stream.off(name, end);
    resolve(undefined);
  };
  for (const name of ENDS) stream.on(name, end);
  waiting.set(stream, promise);
  return promise;
}

const ENDS = ["drain", "close", "error"] as const;
const waiting = new WeakMap<NodeJS.WriteStream, Promise<unknown>>();
