import { createKey, createWorkspace, openStorage, revokeKey } from '@witan/api-gateway';
import { createLog, workspaceScope } from '@witan/service-kit';
import type { TestSystem } from '@witan/testing';
import { Client } from 'pg';
import type { Caller } from './http-client.ts';

/** A key that was made for a test, and the workspace that it opens. */
export type MadeKey = Caller & { keyId: string; workspaceId: string };

/** Makes keys as the operator's command line does; it has no HTTP of its own yet. */
export type Keys = AsyncDisposable & {
  /** A key of a workspace of its own. */
  makeKey: (scopes?: string[]) => Promise<MadeKey>;
  revoke: (key: MadeKey) => Promise<void>;
  /** Deletes the key: it is well-formed and unknown then. */
  forget: (key: MadeKey) => Promise<void>;
  /** Sets the end of the key's life to a moment ago. */
  expire: (key: MadeKey) => Promise<void>;
};

const ACTOR = 'e2e';
const KEY = 'api_gateway.api_key';

/** Opens the key tables of a running system, which does not notice. */
export const openKeys = async (system: TestSystem): Promise<Keys> => {
  const log = createLog({ service: 'e2e', level: 'silent' });
  const storage = await openStorage(system.databaseUrls['api-gateway']!, log);
  const change = async (sql: string, { keyId }: MadeKey): Promise<void> => {
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
    expire: (key) => change(`UPDATE ${KEY} SET expires_at = now() - interval '1 second'`, key),
    forget: (key) => change(`DELETE FROM ${KEY}`, key),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
};
