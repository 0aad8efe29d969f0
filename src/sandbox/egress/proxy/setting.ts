import type { ConnectionRecord } from "../traffic/connection-record.ts";
import type { EgressLimits } from "../traffic/limits.ts";
import type { NetworkSettings } from "../../../policy/network.ts";
import type { NamesBudget } from "../registries/names.ts";
import type { RegistryOrigin } from "../registries/origin.ts";
import type { Traffic } from "../traffic/quotas.ts";
import type { Termination } from "../tls/termination.ts";
import type { Resolve } from "../hosts/resolve.ts";

/** What a proxy is told; it never changes. */
export type ProxySetting = {
  /** `sandbox.network` of the policy. */
  readonly network: NetworkSettings;
  /** Where registries answer, and what was asked of them in vain. */
  readonly registries: { readonly origins: readonly RegistryOrigin[]; readonly names: NamesBudget };
  readonly resolve: Resolve;
  readonly limits: EgressLimits;
  readonly traffic: Traffic;
  readonly onConnection: (record: ConnectionRecord) => void;
  /** Null where no request within TLS is judged. */
  readonly termination: Termination | null;
};
