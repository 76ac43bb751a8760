import type { KeySummary, MadeKey } from '../domain/key/keys.ts';
import type { Reply } from '../http/route.ts';

/** No cache on the way may keep an answer that holds a secret. */
const NO_STORE = { 'cache-control': 'no-store' } as const;

/** A key as the API shows it. */
export const encodeApiKey = (key: KeySummary) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  ...(key.revokedAt ? { revokedAt: key.revokedAt.toISOString() } : {}),
});

/** The one answer that holds the text of a key. */
export const toSecretReply = (status: 200 | 201, made: MadeKey): Reply => ({
  status,
  json: { apiKey: encodeApiKey(made), key: made.key },
  headers: NO_STORE,
});
