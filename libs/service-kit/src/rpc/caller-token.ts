import { createPublicKey, sign, verify } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ServiceError } from '@witan/contracts';

const TOKEN_LIFETIME_MS = 60_000;
const RENEW_BEFORE_MS = 20_000;
/** Tolerated clock skew between machines, in milliseconds. */
const CLOCK_SKEW_MS = 5_000;
const CACHED_TOKENS_MAX = 1_000;

/** The caller of a verified token, until it expires in monotonic milliseconds. */
type Verified = { caller: string; until: number };

type Claims = { caller: string; audience: string; expiresAt: number };

/**
 * Returns a function that issues tokens for one audience, the called service. A token consists of
 * its claims as base64url JSON, a dot, and an Ed25519 signature in base64url. It is reused for 40
 * s, so that most calls need no signing. One that would be valid for longer than a new one was
 * issued before the clock was set back; it is replaced, because verifiers refuse it.
 */
export const createTokenIssuer = (options: {
  caller: string;
  audience: string;
  privateKey: KeyObject;
}): (() => string) => {
  const { caller, audience, privateKey } = options;
  let token = '';
  let expiresAt = 0;
  return () => {
    const now = Date.now();
    const remainingMs = expiresAt - now;
    if (remainingMs < RENEW_BEFORE_MS || remainingMs > TOKEN_LIFETIME_MS) {
      expiresAt = now + TOKEN_LIFETIME_MS;
      const claims: Claims = { caller, audience, expiresAt };
      const body = Buffer.from(JSON.stringify(claims)).toString('base64url');
      token = `${body}.${sign(null, Buffer.from(body), privateKey).toString('base64url')}`;
    }
    return token;
  };
};

/**
 * Returns a function that verifies a token for one audience, the called service, and returns the
 * caller's name. It throws CALLER_REFUSED with the same message for every kind of invalid token. A
 * verified token is cached until it expires by a clock that cannot be set.
 */
export const createTokenVerifier = (options: {
  audience: string;
  /**
   * Public keys by service name, as SubjectPublicKeyInfo PEM. During a key rotation, one text
   * contains both the old and the new key.
   */
  publicKeys: Readonly<Record<string, string>>;
}): ((token: string) => string) => {
  const keys = new Map(
    Object.entries(options.publicKeys).map(([name, pem]) => [name, readPublicKeys(pem)]),
  );
  const verified = new Map<string, Verified>();
  return (token) => {
    const cached = verified.get(token);
    if (cached && performance.now() < cached.until) return cached.caller;
    verified.delete(token);
    const claims = verifyToken(token, options.audience, keys);
    const remainingMs = claims ? claims.expiresAt + CLOCK_SKEW_MS - Date.now() : 0;
    if (!claims || remainingMs <= 0) {
      throw new ServiceError('CALLER_REFUSED', 'The calling service did not prove who it is.');
    }
    if (verified.size >= CACHED_TOKENS_MAX) verified.clear();
    verified.set(token, { caller: claims.caller, until: performance.now() + remainingMs });
    return claims.caller;
  };
};

const PEM_END = /(?<=-----END [A-Z ]+-----)/;

const readPublicKeys = (pem: string): KeyObject[] =>
  pem
    .trim()
    .split(PEM_END)
    .map((block) => createPublicKey(block.trim()));

const verifyToken = (
  token: string,
  audience: string,
  keys: ReadonlyMap<string, readonly KeyObject[]>,
): Claims | undefined => {
  const [body, signature, rest] = token.split('.');
  if (!body || !signature || rest !== undefined) return undefined;
  const claims = parseClaims(body);
  const publicKeys = claims && keys.get(claims.caller);
  if (!claims || !publicKeys || claims.audience !== audience) return undefined;
  if (claims.expiresAt > Date.now() + TOKEN_LIFETIME_MS + CLOCK_SKEW_MS) return undefined;
  const signed = Buffer.from(signature, 'base64url');
  const isValid = publicKeys.some((key) => verify(null, Buffer.from(body), key, signed));
  return isValid ? claims : undefined;
};

const parseClaims = (body: string): Claims | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    return isClaims(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isClaims = (value: unknown): value is Claims =>
  typeof value === 'object' &&
  value !== null &&
  'caller' in value &&
  typeof value.caller === 'string' &&
  'audience' in value &&
  typeof value.audience === 'string' &&
  'expiresAt' in value &&
  typeof value.expiresAt === 'number';
