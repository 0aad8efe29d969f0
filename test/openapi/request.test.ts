import { expect, test } from "vitest";
import { asked, only, read, shop } from "./bench.ts";

const string = { type: "string" };
const ids = { type: "array", items: string };
const query = (name: string, more: object) => ({ name, in: "query", ...more });

test("parameters are written in their styles, and the call is judged as the curl command of the same request", () => {
  const parameters = [
    { name: "id", in: "path", required: true, schema: string },
    { name: "tail", in: "path", required: true, style: "label", schema: ids },
    query("q", { schema: string }),
    query("many", { schema: ids }),
    query("comma", { explode: false, schema: ids }),
    query("pipe", { style: "pipeDelimited", explode: false, schema: ids }),
    query("space", { style: "spaceDelimited", explode: false, schema: ids }),
    query("deep", { style: "deepObject", schema: { type: "object" } }),
    query("plain", { schema: { type: "object" } }),
    query("json", { content: { "application/json": { schema: { type: "object" } } } }),
    query("filter[name]", { schema: string }),
    { name: "X-Trace", in: "header", schema: ids },
    { name: "lang", in: "cookie", schema: string },
  ];
  const tool = only(shop({ "/items/{id}/x{tail}": { get: { operationId: "item", parameters, responses: { 200: { content: { "application/json": {} } } } } } }));
  const input = { id: "a b/c?d#e", tail: ["1", "2"], q: "x&y=z", many: ["1", "2"], comma: ["1", "2"], pipe: ["1", "2"], space: ["1", "2"] };
  const further = { deep: { a: { b: 1 }, c: [true] }, plain: { r: 1, g: 2 }, json: { a: 1 }, filter_name: "n", "X-Trace": ["1", "2"], lang: "de; x=y" };
  expect(asked(tool, { ...input, ...further })).toBe(
    "-H 'accept: application/json' -H 'x-trace: 1,2' -H 'cookie: lang=de%3B%20x%3Dy' -- " +
      "'https://shop.example.org/v1/items/a%20b%2Fc%3Fd%23e/x.1,2?q=x%26y%3Dz&many=1&many=2&comma=1,2&pipe=1%7C2&space=1%202&deep%5Ba%5D%5Bb%5D=1&deep%5Bc%5D%5B0%5D=true" +
      "&r=1&g=2&json=%7B%22a%22%3A1%7D&filter%5Bname%5D=n'",
  );
});

test("bodies are sent as JSON, as forms and in parts, and whatever is no GET or HEAD sends", () => {
  const posted = (content: object, required = true) => only(shop({ "/things": { post: { operationId: "make", requestBody: { required, content } } } }));
  const fields = { type: "object", properties: { name: string, tags: ids, meta: { type: "object" }, file: { type: "string", format: "binary" } } };
  const json = posted({ "text/csv": {}, "application/vnd.shop+json": { schema: fields } });
  expect(asked(json, { body: { name: "it's" } })).toBe(
    String.raw`-X POST -H 'content-type: application/vnd.shop+json' --data-raw '{"name":"it'\''s"}' -- 'https://shop.example.org/v1/things'`,
  );
  expect(asked(json, {})).toBe("refused: body is missing");
  const form = posted({ "application/x-www-form-urlencoded": { schema: fields, encoding: { meta: { style: "deepObject", explode: true } } } });
  expect(asked(form, { body: { name: "a&b", tags: ["x", "y"], meta: { k: { l: 1 } } } })).toContain(
    "--data-raw 'name=a%26b&tags=x&tags=y&meta%5Bk%5D%5Bl%5D=1'",
  );
  const parts = asked(posted({ "multipart/form-data": { schema: fields } }), { body: { 'na"me\r\nx: y': "v", meta: { a: 1 }, file: "content" } });
  const [, boundary = ""] = /boundary=([0-9a-f]+)'/u.exec(parts) ?? [];
  expect(parts.split(`--${boundary}`)).toHaveLength(5);
  expect(parts).toContain('name="na%22me%0D%0Ax: y"\r\n\r\nv\r\n');
  expect(parts).toContain('name="file"; filename="file"\r\ncontent-type: application/octet-stream\r\n\r\ncontent\r\n');
  expect(asked(posted({ "text/plain": {} }), { body: "words" })).toContain("-H 'content-type: text/plain' --data-raw 'words'");
  expect(asked(posted({ "text/plain": {} }), { body: "a\0b" })).toMatch(/^refused: .*NUL/u);
  expect(asked(posted({ "application/json": {} }, false), {})).toBe("-X POST --data-raw '' -- 'https://shop.example.org/v1/things'");
});

test("no value leads to another path, header or cookie", () => {
  const parameters = [
    { name: "id", in: "path", required: true, schema: string },
    { name: "X-A", in: "header", schema: string },
  ];
  const tool = only(shop({ "/pets/{id}/toys": { get: { operationId: "toys", parameters } } }));
  for (const id of ["..", ".", "", "../admin", "a/../../b", "%2e%2e", "%2E%2E%2Fadmin", "..%2f", "..\\admin", "a;b", ".. ", "a/.", "\u0000", "．．"])
    expect.soft(asked(tool, { id }), JSON.stringify(id)).toMatch(/^refused: /u);
  expect(asked(tool, { id: "feature/x" })).toBe("-- 'https://shop.example.org/v1/pets/feature%2Fx/toys'");
  expect(asked(tool, { id: "{id}" })).toBe("-- 'https://shop.example.org/v1/pets/%7Bid%7D/toys'");
  for (const value of ["a\r\nx-b: c", "a\nb", "é", ""]) expect.soft(asked(tool, { id: "1", "X-A": value })).toMatch(/^refused: .*x-a must be printable/u);
  expect(asked(tool, { id: "1", "X-A": "a", host: "evil.example" })).toBe("refused: there is no argument host");
  expect(asked(tool, { id: ["a", ["b"]] })).toMatch(/^refused: /u);
  expect(asked(tool, { id: "x".repeat(70_000) })).toMatch(/^refused: .*too long together/u);
});

test("parameters and bodies that cannot be written make no tool", () => {
  const refused = (parameter: object) =>
    read(shop({ "/a/{id}": { get: { operationId: "a", parameters: [{ name: "id", in: "path", required: true, ...parameter }] } } })).refused["a"];
  for (const style of ["json", "matrix", "form", 7, {}]) expect.soft(refused({ style })).toBe("a parameter has a style that is not written");
  expect(refused({ content: { "text/xml": {} } })).toBe("a parameter has content that is no JSON");
  expect(refused({ name: "" })).toBe("a parameter has no name or no place");
  const upload = { post: { operationId: "u", requestBody: { required: true, content: { "application/octet-stream": {} } } } };
  expect(read(shop({ "/u": upload })).refused["u"]).toBe("its body is neither JSON nor a form nor a text");
});

test("secrets, sessions and what frames a request are no arguments: the policy's credentials are added on the way out", () => {
  const header = (name: string) => ({ name, in: "header", required: true, schema: string });
  const parameters = [
    ...["Authorization", "X-Api-Key", "Host", "Content-Length", "Cookie", "Accept", "bad name"].map(header),
    { name: "session_id", in: "cookie", required: true, schema: string },
    query("page", { schema: { type: "integer" } }),
  ];
  const tool = only(shop({ "/pets": { get: { operationId: "pets", parameters } } }));
  expect(Object.keys(tool.inputSchema["properties"] as object)).toEqual(["page"]);
  expect(asked(tool, { page: 2 })).toBe("-- 'https://shop.example.org/v1/pets?page=2'");
  expect(asked(tool, { page: "two" })).toBe("refused: page must be of type integer");
});
