import { createKey, createWorkspace, openStorage, revokeKey } from '@witan/api-gateway';
import { createLog, workspaceScope } from '@witan/service-kit';
import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';
import type { Caller } from './http-client.ts';

export type CreatedKey = Caller & { keyId: string; workspaceId: string };

/** Creates and changes API keys directly in the database, without the HTTP API. */
export type Keys = AsyncDisposable & {
  makeKey: (scopes?: string[]) => Promise<CreatedKey>;
  revoke: (key: CreatedKey) => Promise<void>;
  /** Deletes the key's row, so that the key is well-formed but unknown. */
  deleteRow: (key: CreatedKey) => Promise<void>;
  expire: (key: CreatedKey) => Promise<void>;
};

const ACTOR = 'e2e';
const KEY_TABLE = 'api_gateway.api_key';

export const openKeys = async (
  system: Pick<TestSystem, 'baseUrl' | 'databaseUrl' | 'databaseUrls'>,
): Promise<Keys> => {
  const log = createLog({ service: 'e2e', level: 'silent' });
  const storage = await openStorage(system.databaseUrls['api-gateway']!, log);
  const change = async (sql: string, { keyId }: CreatedKey): Promise<void> => {
    const admin = new Client({ connectionString: system.databaseUrl });
    await admin.connect();
    try {
      await admin.query(`${sql} WHERE id = $1`, [keyId]);
    } finally {
      await admin.end();
    }
  };
  return {
    makeKey: async (scopes = ['*']) => {
      const { workspaceId, userId } = await createWorkspace(storage, 'e2e');
      const input = { workspaceId, userId, name: 'e2e', scopes, actor: ACTOR };
      const { id, key } = await createKey(storage, input);
      return { baseUrl: system.baseUrl, apiKey: key, keyId: id, workspaceId };
    },
    revoke: async ({ workspaceId, keyId }) => {
      await revokeKey(storage, workspaceScope(workspaceId), { id: keyId, actor: ACTOR });
    },
    expire: (key) =>
      change(`UPDATE ${KEY_TABLE} SET expires_at = now() - interval '1 second'`, key),
    deleteRow: (key) => change(`DELETE FROM ${KEY_TABLE}`, key),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
};
