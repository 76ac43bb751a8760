/** `path` is like `properties.city.type`; empty for the root. */
export type SchemaError = { path: string; message: string };

/** Tasks run round-robin among workspaces. Aborting the signal removes the task from the queue. */
export type SchemaCaller = { workspaceId: string; signal?: AbortSignal };

/**
 * Compiles customers' schemas and validates models' arguments. Both can be crafted to run forever,
 * so every task has a time limit, and one workspace's tasks run one after another. Rejects with
 * UNAVAILABLE if the workspace has too many queued tasks, or with the signal's reason.
 */
export type SchemaValidator = {
  findError: (schema: string, schemaCaller: SchemaCaller) => Promise<SchemaError | undefined>;
  /** `undecided`: the check took too long. */
  findViolations: (
    task: { schema: string; text: string },
    schemaCaller: SchemaCaller,
  ) => Promise<readonly string[] | 'undecided'>;
};
