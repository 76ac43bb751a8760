/** Where a schema is wrong, as `properties.city.type`, and how; an empty path is its root. */
export type SchemaFault = { path: string; message: string };

/**
 * Compiles schemas that customers wrote, and holds arguments that models wrote to them. Either may
 * be made to take for ever, so it has an end, and nobody else waits for it.
 */
export type SchemaJudge = {
  /** Undefined for a schema that arguments can be held to. */
  findFault: (schema: string) => Promise<SchemaFault | undefined>;
  /** What is wrong with the JSON text of arguments, in words; `undecided`: it took too long. */
  findMisfits: (schema: string, text: string) => Promise<readonly string[] | 'undecided'>;
};
