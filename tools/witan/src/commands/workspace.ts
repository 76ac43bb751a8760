import { createKey, createWorkspace } from '@witan/api-gateway/storage/key-store';
import { openApiStorage } from '../open-api-storage.ts';
import { UsageError } from '../usage.ts';

/**
 * Runs `witan workspace create NAME [--json]`: creates a workspace, its owner, and an API key with
 * the scope `*`.
 */
export const runWorkspace = async (argv: readonly string[]): Promise<number> => {
  const isJson = argv.includes('--json');
  const [action, name, ...rest] = argv.filter((word) => word !== '--json');
  if (action !== 'create' || !name || rest.length > 0) {
    throw new UsageError('witan workspace takes create NAME.');
  }
  await using database = await openApiStorage();
  const { workspaceId, userId } = await createWorkspace(database, name);
  const input = { workspaceId, userId, name, scopes: ['*'], actor: 'witan workspace' };
  const { key: apiKey } = await createKey(database, input);
  process.stdout.write(
    isJson
      ? `${JSON.stringify({ workspaceId, userId, apiKey }, undefined, 2)}\n`
      : `${workspaceId}\n${apiKey}\nThis is the only time that the key is shown.\n`,
  );
  return 0;
};
