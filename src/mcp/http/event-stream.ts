/** The data of each message of a stream (text/event-stream), as it comes: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let unfinished: string[] = [];
  let data: string[] = [];
  let isMessage = true;
  for await (const part of body) {
    const [first = "", ...others] = decoder.decode(part, { stream: true }).split("\n");
    unfinished.push(first);
    for (const other of others) {
      const line = unfinished.join("").replace(/\r$/u, "");
      unfinished = [other];
      if (line === "") {
        if (data.length > 0 && isMessage) yield data.join("\n");
        data = [];
        isMessage = true;
      } else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
      else if (line.startsWith("event:")) isMessage = line.slice(6).trim() === "message";
    }
  }
}
