import { ServiceError } from '@witan/contracts';
import { hashSecret, isSecretOf, parseApiKey } from './api-key.ts';

/** Who calls: every created thing belongs to this user and workspace. */
export type Principal = {
  keyId: string;
  workspaceId: string;
  userId: string;
  scopes: readonly string[];
};

export type StoredKey = Principal & {
  secretHash: Uint8Array;
  expiresAt: Date | null;
  revokedAt: Date | null;
};

/** The two headers in which a key may come, as sent. */
export type Credentials = { apiKey: string | undefined; authorization: string | undefined };

/** Compared with when the key id is unknown, so that both cases cost the same. */
const NO_KEY: Uint8Array = hashSecret('');

/**
 * Answers who calls. `x-api-key` and `Authorization: Bearer` count alike; a stray key of somebody
 * else beside ours is ignored, two different ones of ours are ambiguous. Throws UNAUTHENTICATED
 * with one message for missing, malformed, unknown, revoked and expired keys.
 */
export const authenticate = async (
  credentials: Credentials,
  findKey: (keyId: string) => Promise<StoredKey | undefined>,
  now: Date,
): Promise<Principal> => {
  const presented = [credentials.apiKey, bearerOf(credentials.authorization)]
    .map((text) => text && parseApiKey(text.trim()))
    .filter((parts) => parts !== undefined && parts !== '');
  const [first, second] = presented;
  if (first && second && (first.keyId !== second.keyId || first.secret !== second.secret)) {
    throw new ServiceError(
      'INVALID_REQUEST',
      'x-api-key and Authorization hold two different keys; send one.',
      { fields: { code: 'ambiguous_credentials' } },
    );
  }
  if (!first) throw badKey();
  const key = await findKey(first.keyId);
  const matches = isSecretOf(first.secret, key?.secretHash ?? NO_KEY);
  const usable = key && !key.revokedAt && !(key.expiresAt && key.expiresAt <= now);
  if (!matches || !usable) throw badKey();
  return key;
};

const bearerOf = (authorization: string | undefined): string | undefined =>
  /^bearer\s+(.+)$/i.exec(authorization ?? '')?.[1];

const badKey = (): ServiceError =>
  new ServiceError(
    'UNAUTHENTICATED',
    'No valid API key: send yours as "x-api-key: sk_live_..." or "Authorization: Bearer ...".',
  );
