import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isPodman, openEngine } from "../../../../src/sandbox/docker/engine.ts";

/** A server that answers as an engine does to a ping, with real certificates: who is trusted and who is not is decided by TLS. */
describe("an engine that is reached by TLS", () => {
  let folder = "";
  const servers: Server[] = [];
  const children: ChildProcess[] = [];
  const openssl = (...argv: readonly string[]): void => void execFileSync("openssl", argv, { cwd: folder, stdio: "pipe" });
  const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const authority = (name: string): void =>
    openssl("req", "-x509", ...KEY, "-days", "2", "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.crt`);
  const signed = (name: string, by: string, use: string, options: { readonly days?: string; readonly names?: string } = {}): void => {
    const { days = "2", names = "IP:127.0.0.1" } = options;
    openssl("req", ...KEY, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.csr`);
    writeFileSync(join(folder, "extensions"), `subjectAltName=${names}\nextendedKeyUsage=${use}\n`);
    openssl(
      ..."x509 -req -CAcreateserial -extfile extensions".split(" "),
      "-CA",
      `${by}.crt`,
      "-CAkey",
      `${by}.key`,
      "-days",
      days,
      "-in",
      `${name}.csr`,
      "-out",
      `${name}.crt`,
    );
  };
  const text = (file: string): string => readFileSync(join(folder, file), "utf8");
  const listen = async (server: Server): Promise<number> => {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return (server.address() as AddressInfo).port;
  };
  const engine = (certificate: string): Promise<number> =>
    listen(
      createServer(
        { ca: text("own.crt"), cert: text(`${certificate}.crt`), key: text(`${certificate}.key`), requestCert: true, rejectUnauthorized: true },
        (_incoming, answer) => answer.end("OK"),
      ),
    );
  /** As Go's TLS, it tells a client why it hangs up; Node.js says nothing. */
  const strictEngine = async (): Promise<number> => {
    const argv = "s_server -accept 127.0.0.1:0 -www -Verify 1 -verify_return_error -CAfile own.crt -cert server.crt -key server.key";
    const child = spawn("openssl", argv.split(" "), { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    children.push(child);
    for await (const line of createInterface({ input: child.stdout })) {
      const port = /^ACCEPT 127\.0\.0\.1:(\d+)$/u.exec(line)?.[1];
      if (port !== undefined) return Number(port);
    }
    throw new Error("openssl does not listen");
  };
  /** What a person reads, or that it answered. */
  const said = async (port: number, ca: string, client: string | null): Promise<string> => {
    const certificates = join(folder, `${ca}-${client ?? "none"}`);
    if (client !== null) {
      mkdirSync(certificates, { recursive: true });
      for (const [file, of] of [
        ["ca.pem", `${ca}.crt`],
        ["cert.pem", `${client}.crt`],
        ["key.pem", `${client}.key`],
      ] as const)
        writeFileSync(join(certificates, file), text(of));
    }
    const opened = openEngine({ dockerHost: `tcp://127.0.0.1:${String(port)}`, ...(client === null ? {} : { certificates }) });
    return await isPodman(opened).then(
      (answer) => `it answered: ${String(answer)}`,
      (error: unknown) => `${(error as { code: string }).code}: ${String(error)}`,
    );
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "warder-test-"));
    for (const name of ["own", "other"]) authority(name);
    signed("server", "own", "serverAuth");
    signed("expired", "own", "serverAuth", { days: "-1" });
    signed("elsewhere", "own", "serverAuth", { names: "DNS:engine.example" });
    signed("client", "own", "clientAuth");
    signed("stranger", "other", "clientAuth");
    signed("former", "own", "clientAuth", { days: "-1" });
  });
  afterAll(() => {
    for (const server of servers) server.close();
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  test("answers whom its authority knows", async () => {
    expect(await said(await engine("server"), "own", "client")).toBe("it answered: false");
  });

  test.each([
    ["of another authority", { certificate: "server", ca: "other" }, /did not sign the engine's certificate.*ca\.pem/su],
    ["whose certificate has expired", { certificate: "expired", ca: "own" }, /certificate is not valid now.*clock/su],
    ["whose certificate is for another name", { certificate: "elsewhere", ca: "own" }, /for another name than DOCKER_HOST/u],
  ])("%s is sent nothing, and it is said why", async (_what, { certificate, ca }, expected) => {
    const message = await said(await engine(certificate), ca, "client");
    expect(message).toMatch(/^sandbox-unavailable: .*It was sent nothing/su);
    expect(message).toMatch(expected);
  });

  test.each(["stranger", "former"])("that refuses a %s's certificate is not taken for a broken one", async (client) => {
    const message = await said(await strictEngine(), "own", client);
    expect(message).toMatch(/^sandbox-unavailable: .*refuses this user's certificate.*openssl x509/su);
    expect(message).not.toMatch(/routines|alert number/u);
  });

  test("and that speaks none is told from one that must be spoken to in it", async () => {
    const plain = await listen(createPlainServer((_incoming, answer) => answer.end("OK")));
    expect(await said(plain, "own", "client")).toMatch(/speaks no TLS.*2376/su);
    // What Go's server, and so the engine, answers there.
    const strict = await listen(createPlainServer((_incoming, answer) => answer.writeHead(400).end("Client sent an HTTP request to an HTTPS server.\n")));
    expect(await said(strict, "own", null)).toMatch(/speaks TLS.*DOCKER_TLS_VERIFY=1/su);
  });
});
