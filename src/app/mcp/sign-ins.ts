import { readSignIn, writeSignIn } from "../../config/state/mcp-sign-ins.ts";
import type { SignInStore } from "../../mcp/http/sign-in.ts";
import type { McpServer } from "../../mcp/server.ts";
import type { Records } from "../records/records.ts";

/** What a person signed in for at a server, as runs read and renew it. */
export function signInStore({ store }: Pick<Records, "store">, { name, url }: McpServer & { readonly url: string }): SignInStore {
  const { directory } = store.paths;
  const place = { server: name, url };
  return {
    read: () => readSignIn(directory, place),
    change: (change) => {
      store.exclusively(() => {
        writeSignIn(directory, place, change(readSignIn(directory, place)));
      });
    },
  };
}
