import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../../../support/certificate.ts";
import { engineAddress, enginePlaceIn } from "../../../../src/sandbox/docker/reach/address.ts";

describe("the address of an engine", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "warder-test-"));
    const { cert, key } = makeCertificate("engine.example");
    for (const [file, text] of Object.entries({ "ca.pem": cert, "cert.pem": cert, "key.pem": key })) writeFileSync(join(folder, file), text);
    mkdirSync(join(folder, "empty"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ["", "/var/run/docker.sock", { socketPath: "/var/run/docker.sock" }],
    ["unix:///run/user/1000/docker.sock", "/run/user/1000/docker.sock", { socketPath: "/run/user/1000/docker.sock" }],
    ["tcp://127.0.0.1:2375", "tcp://127.0.0.1:2375", { host: "127.0.0.1", port: 2375 }],
    ["tcp://localhost", "tcp://localhost:2375", { host: "localhost", port: 2375 }],
    ["tcp://[::1]:4000/", "tcp://[::1]:4000", { host: "::1", port: 4000 }],
    ["ssh://ann@build.example", "ssh://ann@build.example", { host: "build.example", port: 22 }],
    ["ssh://build.example:2222", "ssh://build.example:2222", { host: "build.example", port: 2222 }],
  ])("%j is taken as Docker's client takes it", (dockerHost, name, request) => {
    expect(engineAddress({ dockerHost })).toMatchObject({ name, request });
  });

  test.each([
    "tcp://engine.example:2375",
    "tcp://192.168.1.2",
    "tcp://0.0.0.0:2375",
    "tcp://[::]:2375",
    "tcp://127.0.0.1.example:2375",
    "tcp://localhost.example",
  ])("%s without TLS is refused: anybody on the way could read and answer", (dockerHost) => {
    expect(() => engineAddress({ dockerHost })).toThrow(
      expect.objectContaining({ code: "bad-configuration", message: expect.stringContaining("without TLS") }),
    );
  });

  test("with certificates TLS is spoken, to any host, on the port for it", () => {
    expect(engineAddress({ dockerHost: "tcp://engine.example", certificates: folder })).toMatchObject({
      name: "tcp://engine.example:2376 (TLS)",
      request: { host: "engine.example", port: 2376 },
    });
  });

  test("a certificate that is missing is named", () => {
    const open = (): unknown => engineAddress({ dockerHost: "tcp://engine.example", certificates: join(folder, "empty") });
    expect(open).toThrow(expect.objectContaining({ code: "bad-configuration", message: expect.stringContaining("ca.pem is missing") }));
  });

  test.each(["ca.pem", "cert.pem", "key.pem"])("a %s that is none is refused before anything is asked", (file) => {
    const other = join(folder, `wrong-${file}`);
    mkdirSync(other);
    for (const name of ["ca.pem", "cert.pem", "key.pem"]) copyFileSync(join(folder, name), join(other, name));
    writeFileSync(join(other, file), "no certificate\n");
    const open = (): unknown => engineAddress({ dockerHost: "tcp://engine.example", certificates: other });
    expect(open).toThrow(expect.objectContaining({ code: "bad-configuration", message: expect.stringContaining("cannot be used") }));
  });

  test.each([
    "unix://relative",
    "http://127.0.0.1:2375",
    "npipe:////./pipe/docker_engine",
    "tcp://",
    "tcp://127.0.0.1:2375/prefix",
    "tcp://user@127.0.0.1:2375",
    "ssh://",
    "ssh://user:secret@host",
    "ssh://host/run/docker.sock",
    "ssh://-oProxyCommand=touch%20owned/",
    "ssh://-oProxyCommand@host",
    "ssh://a%20b@host",
    "127.0.0.1:2375",
  ])("%j is no address", (dockerHost) => {
    expect(() => engineAddress({ dockerHost })).toThrow(expect.objectContaining({ code: "bad-configuration", message: expect.stringContaining("no address") }));
  });

  test.each([
    [{}, undefined],
    [{ DOCKER_TLS_VERIFY: "", DOCKER_CERT_PATH: "" }, undefined],
    [{ DOCKER_TLS_VERIFY: "1", HOME: "/home/ann" }, "/home/ann/.docker"],
    [{ DOCKER_TLS_VERIFY: "1", DOCKER_CERT_PATH: "/certs" }, "/certs"],
    // Docker's client would speak TLS without asking who answers.
    [{ DOCKER_CERT_PATH: "/certs" }, "/certs"],
  ])("%j says where the certificates lie", (environment, certificates) => {
    expect(enginePlaceIn({ ...environment, DOCKER_HOST: "tcp://engine.example" })).toEqual({ dockerHost: "tcp://engine.example", certificates });
  });
});
