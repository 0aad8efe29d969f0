/** What a server over HTTP may send: more ends it. The same limits as for one over standard output. */
export type HttpLimits = { readonly maxMessageBytes: number; readonly maxBytes: number; readonly maxStreams: number };

const LIMITS: HttpLimits = { maxMessageBytes: 16 * 1024 * 1024, maxBytes: 512 * 1024 * 1024, maxStreams: 200 };

/** In the place of `fetch`. Follows no redirect. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Counts what a server answers: by message, in all, and how often a stream is opened anew. `onFault`: why it has to end, as a clause; the answer breaks off
 * there. An answer's head must come within `headMs`.
 */
export function boundedFetch(fetched: Fetch, onFault: (why: string) => void, headMs: number, limits = LIMITS): Fetch {
  let total = 0;
  let streams = 0;
  const fault = (why: string): Error => {
    onFault(why);
    return new Error(why);
  };
  return async (url, init = {}) => {
    if (init.method === undefined || init.method === "GET") streams += 1;
    if (streams > limits.maxStreams) throw fault("it ended its streams again and again");
    const head = new AbortController();
    const timer = setTimeout(() => {
      head.abort(new Error("it did not answer in time"));
    }, headMs);
    try {
      const signals = init.signal === undefined || init.signal === null ? [head.signal] : [head.signal, init.signal];
      const answer = await fetched(url, { ...init, signal: AbortSignal.any(signals) });
      if (answer.body === null) return answer;
      let message = 0;
      let wasLineEnd = false;
      const counted = new TransformStream<Uint8Array, Uint8Array>({
        transform: (part, controller) => {
          total += part.length;
          // An empty line ends a message of a stream. In JSON there may be one as well, and then the second limit holds.
          for (const byte of part) {
            if (byte === 0x0d) continue;
            message = byte === 0x0a && wasLineEnd ? 0 : message + 1;
            wasLineEnd = byte === 0x0a;
          }
          if (message > limits.maxMessageBytes) controller.error(fault("a message of it is longer than 16 MiB"));
          else if (total > limits.maxBytes) controller.error(fault("it sent more than a server does"));
          else controller.enqueue(part);
        },
      });
      return new Response(answer.body.pipeThrough(counted), { status: answer.status, headers: answer.headers });
    } finally {
      clearTimeout(timer);
    }
  };
}
