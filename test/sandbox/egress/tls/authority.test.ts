import { X509Certificate } from "node:crypto";
import { createServer } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";
import { expect, test } from "vitest";
import { createAuthority } from "../../../../src/sandbox/egress/tls/authority.ts";
import { listen, portOf } from "../local-servers.ts";

test("its certificates are for one host, for a week, and of this authority alone", () => {
  const one = createAuthority(["api.example.org"]);
  const other = createAuthority(["api.example.org"]);
  const certificate = new X509Certificate(one.certificateFor("api.example.org"));
  expect(certificate.checkHost("api.example.org")).toBe("api.example.org");
  expect(certificate.checkHost("other.example.org")).toBeUndefined();
  expect(certificate.ca).toBe(false);
  expect(certificate.checkIssued(new X509Certificate(one.certificate))).toBe(true);
  expect(certificate.checkIssued(new X509Certificate(other.certificate))).toBe(false);
  const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 86_400_000;
  expect(days).toBeGreaterThan(1);
  expect(days).toBeLessThan(8);
});

test("tells nobody its key", () => {
  const authority = createAuthority(["api.example.org"]);
  expect(Object.keys(authority).toSorted()).toEqual(["certificate", "certificateFor", "contextFor"]);
  expect(authority.certificate).not.toContain("PRIVATE");
});

test.each([
  ["a host of its list", ["api.example.org"], "api.example.org", true],
  ["a host of its wildcard", ["*.example.net"], "a.example.net", true],
  ["an address of its list", ["10.1.2.3"], "10.1.2.3", true],
  ["every name", ["*"], "anything.example.com", true],
  ["another host", ["api.example.org", "*.example.net"], "api.example.com", false],
  ["an address that it does not list", ["api.example.org"], "10.1.2.3", false],
  ["another address", ["10.1.2.3"], "10.1.2.4", false],
])("is trusted for %s: %j, %s, %j", async (_what, patterns, host, isTrusted) => {
  const authority = createAuthority(patterns);
  const server = createServer((client) => {
    new TLSSocket(client, { isServer: true, secureContext: authority.contextFor(host) }).on("error", () => undefined);
  });
  await listen(server);
  const socket = connectTls({
    port: portOf(server),
    host: "127.0.0.1",
    ca: authority.certificate,
    checkServerIdentity: () => undefined,
    ...(/^[0-9.]+$/u.test(host) ? {} : { servername: host }),
  });
  const failure = await new Promise<string>((resolve) => {
    socket.once("secureConnect", () => {
      resolve("");
    });
    socket.once("error", ({ message }: Error) => {
      resolve(message);
    });
  });
  socket.destroy();
  server.close();
  expect(failure).toMatch(isTrusted ? /^$/u : /(?:permitted|excluded) subtree violation/u);
});
