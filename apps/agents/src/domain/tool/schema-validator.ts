/** The path of a schema error, such as `properties.city.type` (empty: the root), with a message. */
export type SchemaError = { path: string; message: string };

/**
 * The caller of a validation: workspaces are served round-robin. Aborting the signal dequeues the
 * task.
 */
export type SchemaAsker = { workspaceId: string; signal?: AbortSignal };

/**
 * Compiles schemas from customers and validates arguments from models. Both can be crafted to run
 * forever, so every task has a time limit, and tasks of one workspace wait for each other. Rejects
 * with UNAVAILABLE if too many of the workspace wait, and with the signal's reason.
 */
export type SchemaValidator = {
  /** Returns undefined for a usable schema. */
  findError: (schema: string, asker: SchemaAsker) => Promise<SchemaError | undefined>;
  /** Returns the violations of a JSON text of arguments; `undecided`: it took too long. */
  findViolations: (
    task: { schema: string; text: string },
    asker: SchemaAsker,
  ) => Promise<readonly string[] | 'undecided'>;
};
