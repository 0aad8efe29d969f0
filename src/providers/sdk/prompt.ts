import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { AssistantPart, Message } from "../contract/message.ts";
import type { ModelRequest } from "../contract/provider.ts";

// Everything up to a marked message is cached by Anthropic at a tenth of the price; other providers ignore the
// mark and cache by themselves.
const CACHE_MARK: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/**
 * A request in the words of the language model interface. `marksErrors`: the protocol has a mark for a failed
 * result; elsewhere the client would wrap it in JSON, which a model reads badly, so it goes as plain text.
 */
export function toCallOptions(request: ModelRequest, marksErrors: boolean): Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "maxOutputTokens"> {
  const prompt: LanguageModelV4Prompt = [
    { role: "system", content: request.system, providerOptions: CACHE_MARK },
    ...request.messages.flatMap((message) => toMessage(message, marksErrors)),
  ];
  const last = prompt.at(-1);
  if (last && last.role !== "system") last.providerOptions = CACHE_MARK;
  const tools = request.tools.map((tool): LanguageModelV4FunctionTool => ({
    type: "function",
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
  }));
  const { maxOutputTokens } = request;
  return { prompt, ...(tools.length > 0 ? { tools } : {}), ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) };
}

function toMessage(message: Message, marksErrors: boolean): readonly LanguageModelV4Message[] {
  switch (message.kind) {
    case "user":
      return [{ role: "user", content: [{ type: "text", text: message.text }] }];
    case "assistant": {
      // No provider accepts an empty text or a message without parts.
      const content = message.parts.filter((part) => part.kind !== "text" || part.text !== "").map(toPart);
      return content.length > 0 ? [{ role: "assistant", content }] : [];
    }
    case "tool":
      return [
        {
          role: "tool",
          content: message.results.map((result) => ({
            type: "tool-result",
            toolCallId: result.callId,
            toolName: sendableName(result.name),
            output: { type: result.isError && marksErrors ? "error-text" : "text", value: result.text },
          })),
        },
      ];
  }
}

function toPart(part: AssistantPart) {
  const options = part.carry === undefined ? {} : { providerOptions: part.carry as SharedV4ProviderOptions };
  switch (part.kind) {
    case "text":
      return { type: "text" as const, text: part.text, ...options };
    case "reasoning":
      return { type: "reasoning" as const, text: part.text, ...options };
    case "tool-call":
      return { type: "tool-call" as const, toolCallId: part.callId, toolName: sendableName(part.name), input: part.input, ...options };
  }
}

/**
 * The name of a tool as it goes back to a server. What a model made up may be no name that servers take (they answer 400 and
 * the run would end), or a key of every object (`__proto__`), which the client looks up in a table of its own.
 */
function sendableName(name: string): string {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name) && !(name in {}) ? name : "no_such_tool";
}
