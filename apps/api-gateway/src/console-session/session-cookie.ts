import { hash, randomBytes } from 'node:crypto';

export const SESSION_SECONDS = 43_200;

const NAME = 'witan_session';
/**
 * Name under HTTPS. Browsers accept the prefix only for a secure cookie of exactly this host, so
 * that no sibling domain can set one.
 */
const SECURE_NAME = `__Host-${NAME}`;
const COOKIE_BYTES = 32;
/** A link is used once, within 10 minutes; a terminal of 80 columns shows it on one line. */
const LINK_BYTES = 16;
const TOKEN = '[A-Za-z0-9_-]{43}';
const toPattern = (name: string): RegExp => new RegExp(`(?:^|;\\s*)${name}=(${TOKEN})\\s*(?:;|$)`);
const PATTERNS = { plain: toPattern(NAME), secure: toPattern(SECURE_NAME) } as const;

const createToken = (bytes: number): string => randomBytes(bytes).toString('base64url');

/** Returns the value of a cookie: 256 random bits in base64url. */
export const createCookieToken = (): string => createToken(COOKIE_BYTES);

/** Returns the token of a link: 128 random bits in base64url. */
export const createLinkToken = (): string => createToken(LINK_BYTES);

/**
 * Returns the SHA-256 of a token. As for API keys, no slow hash is needed, and finding a row by it
 * reveals nothing about the tokens of other rows.
 */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer');

type Transport = { isSecure: boolean };

/** Returns the token in a `Cookie` header, or undefined if there is none. */
export const readSessionCookie = (
  header: string | undefined,
  { isSecure }: Transport,
): string | undefined => PATTERNS[isSecure ? 'secure' : 'plain'].exec(header ?? '')?.[1];

/** Returns the `Set-Cookie` header of a session. An empty token clears the cookie. */
export const toSetCookie = (token: string, { isSecure }: Transport): string =>
  [
    `${isSecure ? SECURE_NAME : NAME}=${token}`,
    'HttpOnly',
    'SameSite=Strict',
    'Path=/',
    `Max-Age=${token === '' ? 0 : SESSION_SECONDS}`,
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');
