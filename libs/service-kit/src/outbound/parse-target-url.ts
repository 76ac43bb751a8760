import { isIP } from 'node:net';
import { isAllowedAddress } from './is-allowed-address.ts';
import { blockedTarget } from './outbound-error.ts';
import { normalizedHostname, isListedTarget } from './target-policy.ts';
import type { TargetPolicy } from './target-policy.ts';

/** A user-given URL that passed every check that needs no DNS lookup. */
export type TargetUrl = {
  href: string;
  origin: string;
  path: string;
  hostname: string;
  isListed: boolean;
};

export const URL_LENGTH_MAX = 2_048;

/**
 * Control, invisible and blank characters and backslashes, which URL parsers interpret differently.
 */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u;
/** Matches an `@` before the path of the unparsed URL, because parsing drops an empty user name. */
const USERINFO = /^[^:]*:\/*[^/?#]*@/;

/**
 * Checks and normalises a user-given URL: https only, an allowed port, a public name or address, no
 * ambiguous syntax; `policy` can list exceptions. Throws OutboundError `blocked_address` with the
 * violated rule. Does not check resolved addresses; `resolveTarget` does.
 */
export const parseTargetUrl = (raw: string, policy: TargetPolicy): TargetUrl => {
  checkLength(raw);
  if (FORBIDDEN.test(raw)) {
    throw blockedTarget(
      'characters',
      'The URL holds a space, a backslash or a control character; percent-encode it.',
    );
  }
  const url = URL.parse(raw);
  if (url === null) throw blockedTarget('unparsable', 'This is not an absolute URL.');
  const hostname = normalizedHostname(url);
  const port = url.port === '' ? defaultPort(url) : Number(url.port);
  const isListed = isListedTarget(policy, { hostname, port });

  const allowsHttp = isListed && policy.environment === 'development';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsHttp)) {
    throw blockedTarget('scheme', 'The URL must start with https://.');
  }
  if (url.username !== '' || url.password !== '' || USERINFO.test(raw)) {
    throw blockedTarget('userinfo', 'The URL must hold no user name or password.');
  }
  if (raw.includes('#')) throw blockedTarget('fragment', 'The URL must hold no fragment (#).');
  if (!isListed) {
    if (!policy.ports.includes(port)) {
      throw blockedTarget('port', `The URL must use port ${policy.ports.join(' or ')}.`);
    }
    checkPublicName(hostname);
  }
  checkLiteral(hostname, isListed);

  if (isIP(hostname) === 0) url.hostname = hostname;
  checkLength(url.href);
  const path = `${url.pathname}${url.search}`;
  return { href: url.href, origin: url.origin, path, hostname, isListed };
};

const defaultPort = ({ protocol }: URL): number => (protocol === 'http:' ? 80 : 443);

const checkLength = (text: string): void => {
  if (text.length <= URL_LENGTH_MAX) return;
  throw blockedTarget('length', `The URL must be no longer than ${URL_LENGTH_MAX} characters.`);
};

const NAME_LENGTH_MAX = 253;
const LABEL = /^[a-z\d_]([a-z\d_-]{0,61}[a-z\d_])?$/;
/** Matches a top-level domain, which is alphabetic or punycode (RFC 3696 2). */
const TOP_LEVEL = /^([a-z]{2,63}|xn--[a-z\d-]{1,59})$/;
const INTERNAL_DOMAINS = ['localhost', 'local', 'internal', 'svc', 'cluster.local', 'home.arpa'];

const checkPublicName = (hostname: string): void => {
  if (isIP(hostname) !== 0) return;
  const labels = hostname.split('.');
  const isValid =
    hostname.length <= NAME_LENGTH_MAX &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    TOP_LEVEL.test(labels.at(-1) ?? '');
  if (!isValid || INTERNAL_DOMAINS.some((name) => `.${hostname}`.endsWith(`.${name}`))) {
    throw blockedTarget('name', 'The URL must name a public host, as in https://example.com/.');
  }
};

/**
 * Throws if a URL's IP literal is not allowed. It must be checked here, because Node connects to it
 * without a DNS lookup.
 */
const checkLiteral = (hostname: string, isListed: boolean): void => {
  if (isIP(hostname) === 0 || isAllowedAddress(hostname, { isListed })) return;
  throw blockedTarget('address', 'The URL leads to an address that may not be called.');
};
