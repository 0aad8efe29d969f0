import { AgentError } from "../../base/errors.ts";
import { type Engine, engineError, type EngineOptions, noteAnswer, openEngine } from "./engine.ts";

const { get } = process.getBuiltinModule("node:http");

/** A living engine answers within milliseconds, but it took more than 10 s where forty programs waited for each core. A person waits for it. */
const ANSWER_TIMEOUT_MS = 30_000;

/**
 * The engine, once it has answered a ping. An engine that accepts connections and says nothing (stopped in a debugger, stuck on a dead
 * disk) is refused here once, not after the timeout of every call. Throws `sandbox-unavailable`.
 */
export async function answeringEngine(options: EngineOptions & { readonly answerTimeoutMs?: number | undefined }): Promise<Engine> {
  const engine = openEngine(options);
  const limitMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const signal = AbortSignal.timeout(limitMs);
  const call = get({ ...engine.address.request, path: "/_ping", headers: { Host: "docker" }, signal }, (response) => {
    response.resume();
    if (response.statusCode === 200) noteAnswer(engine, response);
    response.on("end", () => {
      resolve(undefined);
    });
    response.on("error", reject);
  });
  call.on("error", reject);
  try {
    await promise;
    return engine;
  } catch (error) {
    if (!signal.aborted && engine.address.name.startsWith("ssh:"))
      throw new AgentError(
        "sandbox-unavailable",
        `The engine at ${engine.address.name} is not reached: ${error instanceof Error ? error.message : String(error)}.`,
        {
          cause: error,
          remedy: "ssh says why, if you let it run there what Warder does: docker system dial-stdio",
        },
      );
    if (!signal.aborted) throw engineError(error);
    throw new AgentError(
      "sandbox-unavailable",
      `The engine at ${engine.address.name} accepts connections, and did not answer for ${String(limitMs / 1000)} s.`,
      { cause: error, remedy: "If this machine is not overloaded, look at the engine's log (`journalctl -u docker`) and restart it." },
    );
  }
}
