import { createHash } from 'node:crypto';

/** Maximum length of a function's name that both wire dialects accept. */
const LENGTH_MAX = 64;
const HASH_LENGTH = 8;

/**
 * Returns the name of a server's tool for agents, at most 64 letters, digits and underscores of
 * ASCII. If `taken` has that name, it ends with a hash of the tool's own one, which differs from
 * all that are taken.
 */
export const toAgentName = (
  { serverName, toolName }: { serverName: string; toolName: string },
  taken: ReadonlySet<string>,
): string => {
  const name = `${serverName}__${toolName}`.replaceAll(/[^A-Za-z0-9_]/g, '_').slice(0, LENGTH_MAX);
  const head = name.slice(0, LENGTH_MAX - HASH_LENGTH - 1);
  let free = name;
  for (let hashed = toolName; taken.has(free); hashed += '\n') {
    const hash = createHash('sha256').update(hashed).digest('hex').slice(0, HASH_LENGTH);
    free = `${head}_${hash}`;
  }
  return free;
};
