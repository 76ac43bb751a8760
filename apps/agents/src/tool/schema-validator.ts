/**
 * Error in a schema or in arguments; `path` is like `properties.city.type` and empty for the root.
 */
export type SchemaError = { path: string; message: string };

/**
 * Workspace for which a schema task runs. Tasks run round-robin among workspaces; aborting the
 * signal removes the task from the queue.
 */
export type SchemaCaller = { workspaceId: string; signal?: AbortSignal };

/**
 * Compiles customers' schemas and validates models' arguments. A schema or arguments can be crafted
 * to run forever, so every task has a time limit, and one workspace's tasks run one after another.
 * Methods reject with UNAVAILABLE if the workspace has too many queued tasks, or with the signal's
 * reason.
 */
export type SchemaValidator = {
  findError: (schema: string, schemaCaller: SchemaCaller) => Promise<SchemaError | undefined>;
  /**
   * Returns how the arguments `text` violate the schema, or `undecided` if the check took too much
   * time or memory.
   */
  findViolations: (
    task: { schema: string; text: string },
    schemaCaller: SchemaCaller,
  ) => Promise<readonly string[] | 'undecided'>;
};
