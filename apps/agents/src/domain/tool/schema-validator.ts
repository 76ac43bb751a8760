/** Where a schema is wrong, as `properties.city.type`, and how; an empty path is its root. */
export type SchemaError = { path: string; message: string };

/** Who asks: workspaces take turns. One who leaves by the signal is passed over. */
export type SchemaAsker = { workspaceId: string; signal?: AbortSignal };

/**
 * Compiles schemas that customers wrote, and holds arguments that models wrote to them. Either may
 * be made to take for ever, so it has an end, and those of one workspace wait for each other.
 * Rejects with UNAVAILABLE when too many of the workspace wait, and with the signal's reason.
 */
export type SchemaValidator = {
  /** Undefined for a schema that arguments can be held to. */
  findError: (schema: string, asker: SchemaAsker) => Promise<SchemaError | undefined>;
  /** What is wrong with the JSON text of arguments, in words; `undecided`: it took too long. */
  findViolations: (
    task: { schema: string; text: string },
    asker: SchemaAsker,
  ) => Promise<readonly string[] | 'undecided'>;
};
