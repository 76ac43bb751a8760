/**
 * Whether agents are offered a tool of an MCP server: only one whose definition is `accepted`. The
 * others are new (`added`), no longer as they were accepted (`changed`), no longer listed
 * (`removed`), or cannot be used.
 */
export type McpToolState = 'accepted' | 'added' | 'changed' | 'removed' | 'unusable';

/** Argument that a header mirrors: the path of its name, and the header in lower case. */
export type HeaderParam = { path: readonly string[]; header: string };

/** What a model is shown of a tool, and what its arguments are checked against. */
export type ToolDefinition = {
  description: string;
  /** JSON Schema of the arguments, as JSON text without annotations of the protocol. */
  parameters: string;
  headerParams: readonly HeaderParam[];
};

/** What a tool row says of its MCP server. */
export type McpTarget = {
  serverId: string;
  mcpName: string;
  state: McpToolState;
  headerParams: readonly HeaderParam[];
};
