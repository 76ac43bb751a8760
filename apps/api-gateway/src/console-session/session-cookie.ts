import { hash, randomBytes } from 'node:crypto';

export const SESSION_SECONDS = 43_200;

const NAME = 'witan_session';
const TOKEN_BYTES = 32;
const TOKEN = '[A-Za-z0-9_-]{43}';
const COOKIE_PATTERN = new RegExp(`(?:^|;\\s*)${NAME}=(${TOKEN})\\s*(?:;|$)`);

/** Returns 256 random bits in base64url: the value of a cookie, or the token of a link. */
export const createToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/**
 * Returns the SHA-256 of a token. As for API keys, no slow hash is needed, and finding a row by it
 * reveals nothing about the tokens of other rows.
 */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Returns the token in a `Cookie` header, or undefined if there is none. */
export const readSessionCookie = (header: string | undefined): string | undefined =>
  COOKIE_PATTERN.exec(header ?? '')?.[1];

/** Returns the `Set-Cookie` header of a session. An empty token clears the cookie. */
export const toSetCookie = (token: string, { isSecure }: { isSecure: boolean }): string =>
  [
    `${NAME}=${token}`,
    'HttpOnly',
    'SameSite=Strict',
    'Path=/',
    `Max-Age=${token === '' ? 0 : SESSION_SECONDS}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
