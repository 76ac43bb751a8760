import { COUNCIL } from '@witan/agents/council';
import { parseApiKey } from '@witan/api-gateway/key/authenticate';
import {
  createKey,
  createWorkspace,
  findKey,
  findWorkspaceOwner,
} from '@witan/api-gateway/storage/key-store';
import { openStorage } from '@witan/api-gateway/storage/open-storage';
import type { Database, Log } from '@witan/service-kit';
import type { Home } from './home.ts';

export type Seed = { apiKey: string; workspaceId: string; userId: string };

const SCOPES = ['*', 'operator'];

/**
 * Returns the seeded workspace, which is created on first use and if it is unknown to the database.
 * Creates a new key if the old one is revoked or unknown.
 */
export const seedWorkspace = async (
  home: Home,
  options: { databaseUrl: string; log: Log },
): Promise<Seed> => {
  await using database = await openStorage(options.databaseUrl, options.log);
  const known = await home.secret('seed.json', () => 'null');
  const seed = JSON.parse(known) as Seed | null;
  if (seed && (await isUsable(database, seed))) return seed;
  const { workspaceId, userId } =
    seed && (await isWorkspaceOf(database, seed)) ? seed : await createWorkspace(database, 'home');
  const input = { workspaceId, userId, name: 'npm start', scopes: SCOPES, actor: 'npm start' };
  const { key } = await createKey(database, input);
  const created: Seed = { apiKey: key, workspaceId, userId };
  await home.write('secrets/seed.json', JSON.stringify(created));
  return created;
};

const isUsable = async (database: Database, { apiKey }: Seed): Promise<boolean> => {
  const key = await findKey(database, parseApiKey(apiKey)?.keyId ?? '');
  return key !== undefined && !key.revokedAt && !(key.expiresAt && key.expiresAt <= new Date());
};

const isWorkspaceOf = async (database: Database, { workspaceId, userId }: Seed): Promise<boolean> =>
  (await findWorkspaceOwner(database, workspaceId)) === userId;

/** Creates the council of the seeded workspace once, so that a deleted agent is not recreated. */
export const seedCouncil = async (
  home: Home,
  { baseUrl, apiKey, workspaceId }: Seed & { baseUrl: string },
): Promise<void> => {
  const seeded = JSON.parse(await home.secret('council.json', () => '[]')) as string[];
  if (seeded.includes(workspaceId)) return;
  for (const persona of COUNCIL) {
    const response = await fetch(`${baseUrl}/v1/agents`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(persona),
    });
    // An interrupted start may have created some agents.
    if (response.ok || response.status === CONFLICT_STATUS) continue;
    throw new Error(`The adviser ${persona.name} could not be made: ${await response.text()}`);
  }
  await home.write('secrets/council.json', JSON.stringify([...seeded, workspaceId]));
};

const CONFLICT_STATUS = 409;
