import { parseArgs } from 'node:util';
import type { KeySummary } from '@witan/api-gateway/key/keys';
import { planRotation, toExpiry } from '@witan/api-gateway/key/key-expiry';
import { isScope } from '@witan/api-gateway/key/scope';
import {
  createKey,
  findWorkspaceOwner,
  listKeys,
  revokeKey,
  rotateKey,
} from '@witan/api-gateway/storage/key-store';
import { everyWorkspace, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { openApiStorage } from '../open-api-storage.ts';
import { UsageError } from '../usage.ts';

const ACTOR = 'witan keys';

const OPTIONS = {
  name: { type: 'string' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
  workspace: { type: 'string' },
  immediately: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

type Options = ReturnType<typeof parse>['values'];
type Action = (database: Database, options: Options, id: string) => Promise<number>;
type ActionShape = { run: Action; takesId: boolean; options: readonly (keyof typeof OPTIONS)[] };

/** Runs `witan keys create|list|rotate|revoke` directly on the database. */
export const runKeys = async (argv: readonly string[]): Promise<number> => {
  const { positionals, values } = parse(argv);
  const [name = '', id = '', ...rest] = positionals;
  const action = ACTIONS.get(name);
  if (!action || action.takesId !== (id !== '') || rest.length > 0) {
    throw new UsageError('witan keys takes create, list, rotate ID, or revoke ID.');
  }
  const unsupported = Object.keys(values).find(
    (option) => option !== 'json' && !action.options.some((known) => known === option),
  );
  if (unsupported !== undefined)
    throw new UsageError(`witan keys ${name} does not take --${unsupported}.`);
  if (name === 'create') checkCreate(values);
  await using database = await openApiStorage();
  return await action.run(database, values, id);
};

const parse = (argv: readonly string[]) => {
  try {
    return parseArgs({ args: [...argv], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

const checkCreate = (options: Options): void => {
  const unknown = readScopes(options).filter((scope) => !isScope(scope));
  if (unknown.length > 0) throw new UsageError(`Unknown scopes: ${unknown.join(', ')}.`);
  readExpiry(options);
};

const readScopes = ({ scopes }: Options): string[] =>
  scopes?.split(',').map((scope) => scope.trim()) ?? ['*'];

const readExpiry = ({ expires }: Options): Date | null => {
  if (expires === undefined) return null;
  const expiry = toExpiry(expires, new Date());
  if ('at' in expiry) return expiry.at;
  throw new UsageError(`--expires ${expiry.error}.`);
};

const create: Action = async (database, options) => {
  const scopes = readScopes(options);
  const workspaceId = options.workspace ?? (await findOnlyWorkspace(database));
  const userId = await findWorkspaceOwner(database, workspaceId);
  if (!userId) throw new Error(`There is no workspace ${workspaceId}.`);
  const name = options.name ?? 'witan keys create';
  const expiresAt = readExpiry(options);
  const owner = { workspaceId, userId };
  const made = await createKey(database, { ...owner, name, scopes, expiresAt, actor: ACTOR });
  print(options, { id: made.id, key: made.key, scopes: made.scopes, expiresAt }, () => [
    `${made.id}  ${made.scopes.join(',')}`,
    made.key,
    'This is the only time that the key is shown.',
  ]);
  return 0;
};

const list: Action = async (database, options) => {
  const scope = options.workspace ? workspaceScope(options.workspace) : everyWorkspace;
  const keys = await listKeys(database, scope);
  const now = new Date();
  print(options, { apiKeys: keys }, () => keys.map((key) => toLine(key, now)));
  return 0;
};

const rotate: Action = async (database, options, id) => {
  const now = new Date();
  const { immediately = false } = options;
  const made = await rotateKey(database, everyWorkspace, {
    id,
    actor: ACTOR,
    plan: (key) => planRotation(key, { now, immediately }),
  });
  if (!made) throw toUnknownKeyError(id);
  const { key, scopes, expiresAt } = made;
  print(options, { id: made.id, key, scopes, expiresAt, replaces: id }, () => [
    `${made.id}  ${scopes.join(',')}`,
    key,
    'This is the only time that the key is shown.',
    immediately ? `${id} is refused within 5 seconds.` : `${id} works for 24 hours at most.`,
  ]);
  return 0;
};

const revoke: Action = async (database, options, id) => {
  const isFound = await revokeKey(database, everyWorkspace, { id, actor: ACTOR });
  if (!isFound) throw toUnknownKeyError(id);
  print(options, { id, revoked: true }, () => [`${id} is revoked; in force within 5 seconds.`]);
  return 0;
};

const ACTIONS: ReadonlyMap<string, ActionShape> = new Map([
  ['create', { run: create, takesId: false, options: ['name', 'scopes', 'expires', 'workspace'] }],
  ['list', { run: list, takesId: false, options: ['workspace'] }],
  ['rotate', { run: rotate, takesId: true, options: ['immediately'] }],
  ['revoke', { run: revoke, takesId: true, options: [] }],
]);

/**
 * Returns the only workspace that has API keys. Throws UsageError if there is none or more than
 * one.
 */
const findOnlyWorkspace = async (database: Database): Promise<string> => {
  const keys = await listKeys(database, everyWorkspace);
  const workspaces = [...new Set(keys.map(({ workspaceId }) => workspaceId))];
  if (workspaces.length === 1) return workspaces[0]!;
  throw new UsageError(`Name one of ${workspaces.length} workspaces with --workspace.`);
};

const toUnknownKeyError = (id: string): Error =>
  new Error(`There is no key ${id}; witan keys list shows all.`);

const toLine = (key: KeySummary, now: Date): string =>
  [
    key.id,
    `${key.prefix}...`,
    key.workspaceId,
    key.scopes.join(','),
    toState(key, now),
    key.lastUsedAt ? `used ${key.lastUsedAt.toISOString()}` : 'never used',
    key.name,
  ].join('  ');

const toState = ({ revokedAt, expiresAt }: KeySummary, now: Date): string => {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'in force';
  return `${expiresAt <= now ? 'expired' : 'in force until'} ${expiresAt.toISOString()}`;
};

const print = (options: Options, json: object, lines: () => string[]): void => {
  const text = options.json ? JSON.stringify(json, undefined, 2) : lines().join('\n');
  process.stdout.write(`${text}\n`);
};
