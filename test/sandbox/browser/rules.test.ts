import { expect, test } from "vitest";
import { isOfSite, mayRequest, siteOf } from "../../../src/sandbox/browser/rules.ts";

const PAGE = "https://shop.example.org/cart";
const ALLOWED: ReadonlySet<string> = new Set(["https://shop.example.org"]);
const post = (url: string, page = PAGE, sending = ALLOWED) => mayRequest({ method: "POST", url }, page, sending);

test("a page that was only opened sends nothing; it reads what it likes, by the proxy's leave", () => {
  const nothing: ReadonlySet<string> = new Set();
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "get", "QUERY", ""])
    expect(mayRequest({ method, url: PAGE }, PAGE, nothing), method).toBe(false);
  for (const method of ["GET", "HEAD"]) expect(mayRequest({ method, url: "http://elsewhere.example.org/" }, PAGE, nothing)).toBe(true);
});

test("where something was allowed to be sent, a page sends to its own site alone, by scheme, host and port", () => {
  expect(post("https://shop.example.org/pay")).toBe(true);
  for (const url of [
    "https://shop.example.org:8443/pay",
    "http://shop.example.org/pay",
    "https://evil.example.org/",
    "https://shop.example.org.evil.example/",
    "https://shop.example.org@evil.example.org/",
    "ws://shop.example.org/",
    "data:text/plain,x",
    "no address",
  ])
    expect(post(url), url).toBe(false);
});

test("what was allowed for one site is over once a page of another is open", () => {
  for (const page of ["https://other.example.org/", "about:blank", "data:text/html,x", "https://shop.example.org:444/"])
    expect(post("https://shop.example.org/pay", page), page).toBe(false);
  // Two addresses without a site are none of the same.
  expect(post("data:text/plain,x", "data:text/html,y", new Set(["null"]))).toBe(false);
});

test("a deed is for a page of the site that it names, and no other", () => {
  expect(isOfSite(PAGE, "https://shop.example.org/")).toBe(true);
  for (const page of [
    "https://evil.example.org/cart",
    "http://shop.example.org/",
    "https://shop.example.org:1/",
    "about:blank",
    "chrome-error://chromewebdata/",
    "",
  ])
    expect(isOfSite(page, PAGE), page).toBe(false);
  expect(isOfSite("about:blank", "about:blank")).toBe(false);
  expect([siteOf("https://SHOP.example.org:443/a"), siteOf("x")]).toEqual(["https://shop.example.org", "null"]);
});
