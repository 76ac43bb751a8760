import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ServiceError } from '@witan/contracts';
import type { ConsoleSession } from '../console-session/console-session.ts';
import { readSessionCookie } from '../console-session/session-cookie.ts';
import { verifyConsoleRequest } from '../console-session/verify-console-request.ts';

/** The caller of a request. */
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

/** A value that is found now, or later. */
export type Found<T> = T | undefined | Promise<T | undefined>;

/** The keys and sessions that exist. */
export type KeyDirectory = {
  findKey: (lookupId: string) => Found<StoredKey>;
  /** Finds an open session by its cookie. */
  findSession: (cookie: string) => Found<ConsoleSession>;
  /** Called before UNAUTHENTICATED is thrown; must return at once and must not throw. */
  onRefused: (refusal: Refusal) => void;
  onUsed: (keyId: string) => void;
  watch: WatchKey;
};

/**
 * Checks the key or session of a running call regularly, and aborts the call with UNAUTHENTICATED
 * once it is no longer valid. Returns the function that ends the checks.
 */
export type WatchKey = (headers: Headers, abortController: AbortController) => () => void;

type Lookup = Pick<KeyDirectory, 'findKey' | 'findSession' | 'onRefused'>;

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns the caller of a request by its API key; if no header has one, by the cookie of a console
 * session. Returns no promise if the key or session is found at once. Throws UNAUTHENTICATED,
 * always with the same message, if no valid key was sent.
 */
export const authenticate = (
  headers: Headers,
  directory: Lookup,
  nowMs: number,
): Principal | Promise<Principal> => {
  if (headers['x-api-key'] || headers.authorization) {
    return authenticateKey(headers, directory, nowMs);
  }
  const cookie = readSessionCookie(textOf(headers.cookie), { isSecure: isSecure(headers) });
  return cookie === undefined
    ? authenticateKey(headers, directory, nowMs)
    : authenticateSession(headers, cookie, directory, nowMs);
};

/**
 * The headers `x-api-key` and `Authorization: Bearer` are equivalent. A key of another system next
 * to a Witan key is ignored; two different Witan keys are refused with INVALID_REQUEST.
 */
export const authenticateKey = (
  headers: Headers,
  { findKey, onRefused }: Omit<Lookup, 'findSession'>,
  nowMs: number,
): StoredKey | Promise<StoredKey> => {
  const [first, second] = readPresentedKeys(headers);
  if (first && second && (first.keyId !== second.keyId || first.secret !== second.secret)) {
    throw new ServiceError(
      'INVALID_REQUEST',
      'x-api-key and Authorization hold two different keys; send one.',
      { fields: { code: 'ambiguous_credentials' } },
    );
  }
  if (!first) {
    const isPresent = Boolean(headers['x-api-key']) || Boolean(readBearerToken(headers));
    onRefused({ reason: isPresent ? 'malformed' : 'missing', key: undefined });
    throw badKey({ isPresent });
  }
  const verify = (key: StoredKey | undefined): StoredKey => {
    const matches = isSecretOf(first.secret, key?.secretHash ?? UNKNOWN_KEY_HASH);
    const reason = findRefusalReason(key, matches, nowMs);
    if (key && !reason) return key;
    onRefused({ reason: reason ?? 'unknown', key });
    throw badKey({ isPresent: true });
  };
  const found = findKey(first.keyId);
  return found instanceof Promise ? found.then(verify) : verify(found);
};

const authenticateSession = (
  headers: Headers,
  cookie: string,
  { findSession, onRefused }: Lookup,
  nowMs: number,
): Principal | Promise<Principal> => {
  verifyConsoleRequest(headers);
  const verify = (session: ConsoleSession | undefined): Principal => {
    if (session && session.expiresAt.getTime() > nowMs) {
      const { keyId, workspaceId, userId, scopes } = session;
      return { keyId, workspaceId, userId, scopes, session };
    }
    onRefused({ reason: 'bad_session', key: undefined });
    throw badCredentials('The session has ended; sign in again.', 'session_ended');
  };
  const found = findSession(cookie);
  return found instanceof Promise ? found.then(verify) : verify(found);
};

/**
 * Returns whether the client uses HTTPS, to a proxy that sets `x-forwarded-proto`; this process
 * itself serves HTTP. A client that forges the header harms only itself: it gets
 * `Strict-Transport-Security` and a `Secure` cookie, which browsers ignore over plain HTTP.
 */
export const isSecure = (headers: Headers): boolean => headers['x-forwarded-proto'] === 'https';

/** Returns the Witan keys in the headers of a request, valid or not. */
export const readPresentedKeys = (headers: Headers): KeyParts[] => {
  const keys: KeyParts[] = [];
  for (const text of [textOf(headers['x-api-key']), readBearerToken(headers)]) {
    const parts = text && parseApiKey(text.trim());
    if (parts) keys.push(parts);
  }
  return keys;
};

const readBearerToken = ({ authorization }: Headers): string | undefined =>
  /^bearer\s+(.+)$/i.exec(textOf(authorization) ?? '')?.[1];

const textOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Returns why a key is refused, or undefined if it is valid. */
const findRefusalReason = (
  key: StoredKey | undefined,
  matches: boolean,
  nowMs: number,
): RefusalReason | undefined => {
  if (!key) return 'unknown';
  if (!matches) return 'wrong_secret';
  if (key.revokedAt) return 'revoked';
  return key.expiresAt && key.expiresAt.getTime() <= nowMs ? 'expired' : undefined;
};

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

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'sk_live_';
const ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = new RegExp(
  `^${PREFIX}([0-9A-Za-z]{${ID_LENGTH}})([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

type KeyParts = { keyId: string; secret: string };

/**
 * Generates an API key: `text` is returned to the client once; of its secret, only the hash is
 * stored.
 */
export const generateApiKey = (): { text: string; keyId: string; secretHash: Buffer } => {
  const keyId = randomText(ID_LENGTH);
  const secret = randomText(SECRET_LENGTH);
  const body = `${PREFIX}${keyId}${secret}`;
  return { text: body + checksum(body), keyId, secretHash: hashSecret(secret) };
};

/**
 * Returns the parts of an API key, or undefined if its form or checksum is wrong, so that a
 * mistyped key causes no database read.
 */
export const parseApiKey = (text: string): KeyParts | undefined => {
  const [, keyId, secret, sum] = KEY_PATTERN.exec(text) ?? [];
  if (!keyId || !secret || !sum) return undefined;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === sum ? { keyId, secret } : undefined;
};

/**
 * Returns the SHA-256 of an API key's secret. No slow password hash is needed, because 190 random
 * bits cannot be guessed.
 */
export const hashSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

export const isSecretOf = (secret: string, secretHash: Uint8Array): boolean =>
  timingSafeEqual(hashSecret(secret), secretHash);

/**
 * Hash that the secret is compared with if the key id is unknown, so that the response time does
 * not reveal whether a key id exists.
 */
const UNKNOWN_KEY_HASH: Uint8Array = hashSecret('');

const checksum = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  for (let digit = 0; digit < CHECKSUM_LENGTH; digit += 1) {
    digits = ALPHABET[rest % ALPHABET.length] + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
};

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
