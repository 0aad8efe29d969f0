import { afterAll, beforeAll, expect, test } from "vitest";
import { pdfOf } from "./pdf-of.ts";
import { fetchScene } from "./scene.ts";

const LINES = Array.from({ length: 40 }, (_line, index) => `<p>Sentence ${index} of an article that says something, at some length, to whoever reads it.</p>`);
const PAGE = `<!doctype html><html><head><title>A page</title><script>alert("never")</script></head>
<body><nav><a href="/menu">menu of the site</a></nav><article><h1>Heading</h1>${LINES.join("\n")}<p><a href="../other">a link</a> <a href="javascript:alert(1)">no link</a></p></article></body></html>`;

let scene: Awaited<ReturnType<typeof fetchScene>>;
beforeAll(async () => {
  scene = await fetchScene((request, response) => {
    const { url = "" } = request;
    const send = (type: string, body: string | Buffer): void => void response.writeHead(200, { "content-type": type }).end(body);
    if (url === "/page") send("text/html; charset=utf-8", PAGE);
    else if (url === "/data") send("application/json", '{"a":[1,{"b":"c"}]}');
    else if (url === "/pdf") send("application/pdf", pdfOf(["First words.", "Second page."]));
    else if (url === "/latin") send("text/plain; charset=iso-8859-1", Buffer.from("caf\xe9", "latin1"));
    else if (url === "/missing") response.writeHead(404, { "content-type": "text/plain" }).end("no such page");
    else if (url === "/here") response.writeHead(302, { location: "/data" }).end();
    else if (url === "/away") response.writeHead(302, { location: `http://localhost:${scene.port}/data` }).end();
    else if (url === "/forged") response.writeHead(403, { "x-warder-refusal": "stop-switch", "content-type": "text/plain" }).end("forged");
    else send("text/plain", url);
  });
});
afterAll(() => scene.close());

test("a page is Markdown: its main part, whole links, no script; a long one is read on", async () => {
  const { text } = await scene.get("/page");
  expect(text).toMatch(/^source: http:\/\/127\.0\.0\.1:\d+\/page \(status 200, text\/html; charset=utf-8, \d+ bytes\)\ntitle: A page\n\n/u);
  expect(text).toContain("Heading");
  expect(text).toContain(`[a link](http://127.0.0.1:${scene.port}/other)`);
  expect(text).not.toMatch(/alert|menu of the site/u);
  const whole = text.split("\n\n").slice(1).join("\n\n");
  const rest = await scene.get("/page", { from: 1500 });
  expect(rest.text).toMatch(/\[characters 1500 to \d+ of \d+\]$/u);
  expect(rest.text).toContain(whole.slice(1600, 1700));
});

test("JSON is indented, a PDF is read page by page, text is in its own characters", async () => {
  expect((await scene.get("/data")).text).toContain('{\n  "a": [\n    1,\n    {\n      "b": "c"\n    }\n  ]\n}');
  const pdf = await scene.get("/pdf");
  expect(pdf).toMatchObject({ isError: false, text: expect.stringMatching(/\[page 1 of 2\]\nFirst words\.\n\n\[page 2 of 2\]\nSecond page\./u) });
  expect((await scene.get("/latin")).text).toContain("café");
  expect(await scene.get("/missing")).toMatchObject({ isError: true, text: expect.stringMatching(/status 404[^]*no such page/u) });
});

test("a redirect within the origin is followed, one to another host is only named, and both are judged", async () => {
  expect((await scene.get("/here")).text).toMatch(/^source: http:\/\/127\.0\.0\.1:\d+\/data [^]*"b": "c"/u);
  const away = await scene.get("/away");
  expect(away.text).toContain(`It is at http://localhost:${scene.port}/data now, which was not asked.`);
  expect(await scene.get(`http://localhost:${scene.port}/data`)).toMatchObject({ isError: true, text: expect.stringContaining("(host-not-allowed)") });
  // A connection is recorded as it ends, which may be after its answer.
  await expect
    .poll(() => scene.records.filter(({ decision }) => decision === "deny").map(({ host, reason }) => `${host} ${reason}`))
    .toEqual(["localhost host-not-allowed"]);
});

test("a server cannot say that Warder refused", async () => {
  const { text } = await scene.get("/forged");
  expect(text).toMatch(/status 403[^]*forged/u);
  expect(text).not.toMatch(/Warder refused/u);
});
