import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@witan/contracts';

export const CONSOLE_HEADER = 'x-witan-console';

/**
 * Throws INSUFFICIENT_SCOPE with the code `cross_origin_request` unless a request with a session
 * cookie comes from a page of this origin. Browsers add cookies to requests of other pages, too;
 * those can neither set the console's header, because no preflight is answered, nor forge the
 * headers that name the origin.
 */
export const verifyConsoleRequest = (headers: IncomingHttpHeaders): void => {
  if (headers[CONSOLE_HEADER] !== '1') {
    throw refused(`A session cookie counts only with the header ${CONSOLE_HEADER}: 1.`);
  }
  if (!isSameOrigin(headers)) throw refused('A session cookie counts only from this origin.');
};

/**
 * `Sec-Fetch-Site` decides where it is sent. Over plain HTTP to another machine, browsers omit it,
 * and `Origin` from a GET, too; then `Referer` decides.
 */
const isSameOrigin = (headers: IncomingHttpHeaders): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const origin = headers.origin ?? headers.referer ?? '';
  return URL.canParse(origin) && new URL(origin).host === headers.host?.toLowerCase();
};

const refused = (message: string): ServiceError =>
  new ServiceError('INSUFFICIENT_SCOPE', message, { fields: { code: 'cross_origin_request' } });
