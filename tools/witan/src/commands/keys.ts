import { parseArgs } from 'node:util';
import { createKey, findWorkspaceOwner, isScope, listKeys, revokeKey } from '@witan/api-gateway';
import type { KeySummary } from '@witan/api-gateway';
import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { openApiStorage } from '../open-api-storage.ts';
import { UsageError } from '../usage.ts';

const ACTOR = 'witan keys';

type Options = {
  name?: string | undefined;
  scopes?: string | undefined;
  workspace?: string | undefined;
  json?: boolean | undefined;
};

/** `witan keys create|list|revoke`: administration of API keys, straight in the database. */
export const runKeys = async (argv: readonly string[]): Promise<number> => {
  const { positionals, values } = parse(argv);
  const [action, id, ...rest] = positionals;
  const isKnown =
    (action === 'create' && id === undefined) ||
    (action === 'list' && id === undefined) ||
    (action === 'revoke' && id !== undefined && rest.length === 0);
  if (!isKnown) throw new UsageError('witan keys takes create, list, or revoke ID.');
  await using database = await openApiStorage();
  if (action === 'create') return await create(database, values);
  return await (action === 'list' ? list(database, values) : revoke(database, id!, values));
};

const parse = (argv: readonly string[]): { positionals: string[]; values: Options } => {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        scopes: { type: 'string' },
        workspace: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const create = async (database: Database, options: Options): Promise<number> => {
  const scopes = options.scopes?.split(',').map((scope) => scope.trim()) ?? ['*'];
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length > 0) throw new UsageError(`Unknown scopes: ${unknown.join(', ')}.`);
  const workspaceId = options.workspace ?? (await onlyWorkspace(database));
  const userId = await findWorkspaceOwner(database, workspaceId);
  if (!userId) throw new Error(`There is no workspace ${workspaceId}.`);
  const name = options.name ?? 'witan keys create';
  const made = await createKey(database, { workspaceId, userId, name, scopes, actor: ACTOR });
  print(options, { id: made.id, key: made.key, scopes: made.scopes }, () => [
    `${made.id}  ${made.scopes.join(',')}`,
    made.key,
    'This is the only time that the key is shown.',
  ]);
  return 0;
};

const list = async (database: Database, options: Options): Promise<number> => {
  const keys = await listKeys(database, everyWorkspace);
  print(options, { apiKeys: keys }, () => keys.map(toLine));
  return 0;
};

const revoke = async (database: Database, id: string, options: Options): Promise<number> => {
  const isFound = await revokeKey(database, everyWorkspace, { id, actor: ACTOR });
  if (!isFound) throw new Error(`There is no key ${id}; witan keys list shows all.`);
  print(options, { id, revoked: true }, () => [`${id} is revoked; in force within 5 seconds.`]);
  return 0;
};

/** A system with one workspace needs no --workspace. */
const onlyWorkspace = async (database: Database): Promise<string> => {
  const keys = await listKeys(database, everyWorkspace);
  const workspaces = [...new Set(keys.map(({ workspaceId }) => workspaceId))];
  if (workspaces.length === 1) return workspaces[0]!;
  throw new UsageError(`Name one of ${workspaces.length} workspaces with --workspace.`);
};

const toLine = (key: KeySummary): string => {
  const state = key.revokedAt ? `revoked ${key.revokedAt.toISOString()}` : 'in force';
  return `${key.id}  ${key.prefix}...  ${key.workspaceId}  ${key.scopes.join(',')}  ${state}`;
};

const print = (options: Options, json: object, lines: () => string[]): void => {
  const text = options.json ? JSON.stringify(json, undefined, 2) : lines().join('\n');
  process.stdout.write(`${text}\n`);
};
