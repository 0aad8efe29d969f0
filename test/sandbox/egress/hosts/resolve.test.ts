import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { ownAddresses } from "../../../../src/sandbox/egress/hosts/public-address.ts";
import { pinnedAddress } from "../../../../src/sandbox/egress/hosts/resolve.ts";

const target = { host: "api.example.org", port: 443 };
const OWN = new Set(["192.0.43.8", "2606:4700::1111"]);

test.each(["192.0.43.8", "2606:4700::1111"])("a public address of this machine is refused like a private one: %s", async (address) => {
  const pin = (allow: readonly string[], answers: readonly string[]): ReturnType<typeof pinnedAddress> =>
    pinnedAddress(target, allow, () => Promise.resolve(answers), OWN);
  expect(await pin(["*"], [address])).toEqual({ refusal: "private-address" });
  expect(await pin(["*"], ["1.1.1.1", address])).toEqual({ refusal: "private-address" });
  expect(await pin(["*"], ["1.1.1.1"])).toEqual({ address: "1.1.1.1" });
});

test("an address of this machine that is listed by itself is reached under a name", async () => {
  expect(await pinnedAddress(target, ["*", "192.0.43.8"], () => Promise.resolve(["192.0.43.8"]), OWN)).toEqual({ address: "192.0.43.8" });
});

test("the machine says which are its own, loopback among them", () => {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  expect(addresses).not.toEqual([]);
  expect([...ownAddresses()].toSorted()).toEqual([...new Set(addresses)].toSorted());
});
