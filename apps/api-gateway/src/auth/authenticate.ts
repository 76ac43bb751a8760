import { ServiceError } from '@witan/contracts';
import type { ConsoleSession } from '../console-session/console-session.ts';
import { hashSecret, isSecretOf, parseApiKey } from './api-key.ts';

export type Principal = {
  keyId: string;
  workspaceId: string;
  userId: string;
  scopes: readonly string[];
  /** The session of a call that authenticated with its cookie instead of an API key. */
  session?: ConsoleSession;
};

export type StoredKey = Principal & {
  secretHash: Uint8Array;
  expiresAt: Date | null;
  revokedAt: Date | null;
};

export type Credentials = { apiKey: string | undefined; authorization: string | undefined };

/**
 * Reason why an API key was refused, for the audit and the metrics. Error messages do not disclose
 * it.
 */
export type RefusalReason =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'wrong_secret'
  | 'revoked'
  | 'expired'
  | 'bad_session'
  | 'bad_link';

/** A refused API key; `key` is set if its key id exists, even if the secret is wrong. */
export type Refusal = { reason: RefusalReason; key: StoredKey | undefined };

export type KeyCheck = {
  findKey: (keyId: string) => Promise<StoredKey | undefined>;
  /**
   * Called before `authenticate` throws UNAUTHENTICATED; must return at once and must not throw.
   */
  onRefused: (refusal: Refusal) => void;
  now: Date;
};

/**
 * Hash that the secret is compared with if the key id is unknown, so that the response time does
 * not reveal whether a key id exists.
 */
const UNKNOWN_KEY_HASH: Uint8Array = hashSecret('');

/**
 * Returns the caller of a request. The headers `x-api-key` and `Authorization: Bearer` are
 * equivalent. A key of another system next to a Witan key is ignored; two different Witan keys are
 * refused with INVALID_REQUEST. Throws UNAUTHENTICATED, always with the same message, if no valid
 * key was sent.
 */
export const authenticate = async (
  credentials: Credentials,
  { findKey, onRefused, now }: KeyCheck,
): Promise<Principal> => {
  const texts = [credentials.apiKey, readBearerToken(credentials.authorization)];
  const [first, second] = readPresentedKeys(credentials);
  if (first && second && (first.keyId !== second.keyId || first.secret !== second.secret)) {
    throw new ServiceError(
      'INVALID_REQUEST',
      'x-api-key and Authorization hold two different keys; send one.',
      { fields: { code: 'ambiguous_credentials' } },
    );
  }
  if (!first) {
    onRefused({ reason: texts.some(Boolean) ? 'malformed' : 'missing', key: undefined });
    throw badKey({ isPresent: texts.some(Boolean) });
  }
  const key = await findKey(first.keyId);
  const matches = isSecretOf(first.secret, key?.secretHash ?? UNKNOWN_KEY_HASH);
  const reason = findRefusalReason(key, matches, now);
  if (!key || reason) {
    onRefused({ reason: reason ?? 'unknown', key });
    throw badKey({ isPresent: true });
  }
  return key;
};

/** Returns the Witan keys in the headers of a request, valid or not. */
export const readPresentedKeys = ({ apiKey, authorization }: Credentials) =>
  [apiKey, readBearerToken(authorization)]
    .map((text) => (text ? parseApiKey(text.trim()) : undefined))
    .filter((parts) => parts !== undefined);

/** Returns why a key is refused, or undefined if it is valid. */
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

const readBearerToken = (authorization: string | undefined): string | undefined =>
  /^bearer\s+(.+)$/i.exec(authorization ?? '')?.[1];

/**
 * Returns the error for a request without a valid key. As RFC 6750 section 3 requires, its
 * challenge has `error` only if a key was sent.
 */
const badKey = ({ isPresent }: { isPresent: boolean }): ServiceError =>
  new ServiceError(
    'UNAUTHENTICATED',
    'No valid API key: send yours as "x-api-key: sk_live_..." or "Authorization: Bearer ...".',
    { fields: { challenge: isPresent ? INVALID_TOKEN : 'Bearer realm="witan"' } },
  );

const INVALID_TOKEN = 'Bearer realm="witan", error="invalid_token"';

/** Returns the error for a session, or a sign-in, that is not valid. */
export const badCredentials = (message: string, code?: string): ServiceError =>
  new ServiceError('UNAUTHENTICATED', message, {
    fields: { challenge: INVALID_TOKEN, ...(code ? { code } : {}) },
  });
