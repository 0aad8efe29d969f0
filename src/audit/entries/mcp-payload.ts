/** What the log records of MCP servers. */
export type McpPayload =
  /** One of a run was started, ended by itself, or has other tools than a person confirmed. */
  | { readonly kind: "mcp-server"; readonly server: string; readonly event: "started" | "ended" | "changed"; readonly detail: string }
  /** A person confirmed a server as it is: what starts it (by digest), and its tools with all that it says of them. */
  | {
      readonly kind: "mcp-server-trusted";
      readonly server: string;
      readonly digest: string;
      readonly tools: readonly { readonly name: string; readonly digest: string }[];
      readonly by: string;
    };
