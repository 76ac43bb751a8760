import { createHash } from 'node:crypto';

/** Maximum length of a function's name that both wire dialects accept. */
const LENGTH_MAX = 64;
const HASH_LENGTH = 8;

/**
 * Returns the name of a server's tool for agents, at most 64 letters, digits and underscores of
 * ASCII. If `taken` has that name, it ends with a hash of the tool's own one.
 */
export const toAgentName = (
  { serverName, toolName }: { serverName: string; toolName: string },
  taken: ReadonlySet<string>,
): string => {
  const name = `${serverName}__${toolName}`.replaceAll(/[^A-Za-z0-9_]/g, '_').slice(0, LENGTH_MAX);
  if (!taken.has(name)) return name;
  const hash = createHash('sha256').update(toolName).digest('hex').slice(0, HASH_LENGTH);
  return `${name.slice(0, LENGTH_MAX - HASH_LENGTH - 1)}_${hash}`;
};
