/** What the log records of what comes from others and a person confirmed: MCP servers, OpenAPI documents, skills. */
export type TrustedPayload =
  /** One of a run was started, ended by itself, or has other tools than a person confirmed. */
  | { readonly kind: "mcp-server"; readonly server: string; readonly event: "started" | "ended" | "changed" | "asked"; readonly detail: string }
  /** A person confirmed a server as it is: what starts it (by digest), and its tools with all that it says of them. */
  | {
      readonly kind: "mcp-server-trusted";
      readonly server: string;
      readonly digest: string;
      readonly tools: readonly { readonly name: string; readonly digest: string }[];
      readonly by: string;
    }
  /** A person signed in to a server at an address, at whoever signs people in for it. */
  | { readonly kind: "mcp-server-signed-in"; readonly server: string; readonly issuer: string; readonly by: string }
  /** A person confirmed a document as it is: what its settings are (by digest), its content, and the tools of its operations. */
  | {
      readonly kind: "openapi-trusted";
      readonly document: string;
      readonly digest: string;
      readonly content: string;
      readonly tools: readonly { readonly name: string; readonly digest: string }[];
      readonly by: string;
    }
  /** A person confirmed a skill as its folder is: so many files, and the digest of all. */
  | {
      readonly kind: "skill-trusted";
      readonly skill: string;
      readonly directory: string;
      readonly digest: string;
      readonly files: number;
      readonly by: string;
    }
  /** A person took that back. */
  | { readonly kind: "skill-removed"; readonly skill: string; readonly digest: string; readonly by: string };
