import { ServiceError } from '@witan/contracts';

type Headers = Readonly<Record<string, string | string[] | undefined>> & {
  origin?: string | undefined;
  referer?: string | undefined;
  host?: string | undefined;
};

export const CONSOLE_HEADER = 'x-witan-console';

/**
 * Throws INSUFFICIENT_SCOPE with the code `cross_origin_request` unless a request with a session
 * cookie comes from a page of this origin. Browsers add cookies to requests of other pages, too;
 * those can neither set the console's header, because no preflight is answered, nor forge the
 * headers that name the origin.
 */
export const verifyConsoleRequest = (headers: Headers): void => {
  if (headers[CONSOLE_HEADER] !== '1') {
    throw refused(`A session cookie counts only with the header ${CONSOLE_HEADER}: 1.`);
  }
  if (!isSameOrigin(headers)) throw refused('A session cookie counts only from this origin.');
};

/**
 * Throws INSUFFICIENT_SCOPE with the code `cross_origin_request` if a page of another origin signs
 * in, because its visitor would work in that page's workspace. Clients that are no browsers send
 * neither header.
 */
export const verifySignIn = (headers: Headers): void => {
  const isFromPage = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;
  if (isFromPage && !isSameOrigin(headers)) throw refused('Only a page of this origin signs in.');
};

/**
 * `Sec-Fetch-Site` decides where it is sent. Over plain HTTP to another machine, browsers omit it,
 * and `Origin` from a GET, too; then `Referer` decides.
 */
const isSameOrigin = (headers: Headers): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = headers.origin ?? headers.referer ?? '';
  return URL.canParse(origin) && new URL(origin).host === headers.host?.toLowerCase();
};

const refused = (message: string): ServiceError =>
  new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { code: 'cross_origin_request' } });
