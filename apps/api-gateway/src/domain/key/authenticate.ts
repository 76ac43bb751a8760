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

/** Why a key was refused; the caller is not told. */
export type RefusalReason =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'wrong_secret'
  | 'revoked'
  | 'expired';

/** A key that was refused; `key` when there is such a key, whoever came with it. */
export type Refusal = { reason: RefusalReason; key: StoredKey | undefined };

/** What authentication needs to know, and whom it tells. */
export type KeyCheck = {
  findKey: (keyId: string) => Promise<StoredKey | undefined>;
  /** Hears of every refusal before the caller does; it must neither fail nor take time. */
  onRefused: (refusal: Refusal) => void;
  now: Date;
};

/** Compared with when the key id is unknown, so that both cases cost the same. */
const NO_KEY: Uint8Array = hashSecret('');

/**
 * Answers who calls. `x-api-key` and `Authorization: Bearer` count alike; a stray key of somebody
 * else beside ours is ignored, two different ones of ours are ambiguous. Throws UNAUTHENTICATED
 * with one message for missing, malformed, unknown, revoked and expired keys.
 */
export const authenticate = async (
  credentials: Credentials,
  { findKey, onRefused, now }: KeyCheck,
): Promise<Principal> => {
  const texts = [credentials.apiKey, bearerOf(credentials.authorization)];
  const presented = texts
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
  if (!first) {
    onRefused({ reason: texts.some(Boolean) ? 'malformed' : 'missing', key: undefined });
    throw badKey({ isGiven: texts.some(Boolean) });
  }
  const key = await findKey(first.keyId);
  const matches = isSecretOf(first.secret, key?.secretHash ?? NO_KEY);
  const reason = findRefusalReason(key, matches, now);
  if (!key || reason) {
    onRefused({ reason: reason ?? 'unknown', key });
    throw badKey({ isGiven: true });
  }
  return key;
};

/** Who does not know the secret learns nothing, so the secret's fault goes first. */
const findRefusalReason = (
  key: StoredKey | undefined,
  matches: boolean,
  now: Date,
): RefusalReason | undefined => {
  if (!key) return 'unknown';
  if (!matches) return 'wrong_secret';
  if (key.revokedAt) return 'revoked';
  return key.expiresAt && key.expiresAt <= now ? 'expired' : undefined;
};

const bearerOf = (authorization: string | undefined): string | undefined =>
  /^bearer\s+(.+)$/i.exec(authorization ?? '')?.[1];

/** RFC 6750, 3: how to authenticate, and with `error` that what was sent is not valid. */
const badKey = ({ isGiven }: { isGiven: boolean }): ServiceError =>
  new ServiceError(
    'UNAUTHENTICATED',
    'No valid API key: send yours as "x-api-key: sk_live_..." or "Authorization: Bearer ...".',
    { fields: { challenge: `Bearer realm="witan"${isGiven ? ', error="invalid_token"' : ''}` } },
  );
