import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { engineError, openEngine } from "../../../src/sandbox/docker/engine.ts";
import { once } from "../../support/until.ts";

/** As Docker Engine 20.10 said it on a disk of 1.4 GB that was full, once for each thing that it makes. */
test.each([
  "create overlay-s06z408m42j4: error while creating volume root path '/data/volumes/overlay-s06z408m42j4': mkdir /data/volumes/overlay-s06z408m42j4: no space left on device",
  "mkdir /data/overlay2/3d35decb531f-init: no space left on device",
  "Error processing tar file(exit status 1): write /store/root-0/large: no space left on device",
  "Error processing tar file(exit status 1): write /store/root-0/large: disk quota exceeded",
])("an engine without space says so, and what to do: %s", async (message) => {
  const server = createServer((_request, response) => void response.writeHead(500, { "content-type": "application/json" }).end(JSON.stringify({ message })));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    const engine = openEngine({ dockerHost: `tcp://127.0.0.1:${String((server.address() as AddressInfo).port)}` });
    const fault = await engine.docker.createVolume({ Name: "overlay-1" }).then(() => null, engineError);
    expect(fault).toMatchObject({ code: "sandbox-unavailable", remedy: "Free some: docker system df says what takes it." });
    expect(fault?.problem).toMatch(/^Docker Engine has no space left where it keeps its data: .*(?:no space left on device|disk quota exceeded)/u);
  } finally {
    server.close();
  }
});
