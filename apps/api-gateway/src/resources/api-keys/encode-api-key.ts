import type { KeySummary, CreatedKey } from '../../auth/keys.ts';
import type { Reply } from '../../http/route.ts';

// Forbids caches to store the response, because it contains a secret.
const NO_STORE = { 'cache-control': 'no-store' } as const;

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

export const toSecretReply = (status: 200 | 201, created: CreatedKey): Reply => ({
  status,
  json: { apiKey: encodeApiKey(created), key: created.key },
  headers: NO_STORE,
});
