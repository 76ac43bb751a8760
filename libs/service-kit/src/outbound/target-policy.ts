import { isIP } from 'node:net';
import type { Environment } from '../boot/process-config.ts';
import type { EnvReader } from '../config/read-env.ts';

export type TargetPolicy = {
  environment: Environment;
  ports: readonly number[];
  /**
   * Targets that the operator has listed. They may have private addresses and any port, and in
   * development they may use plain http.
   */
  allowPrivate: readonly ListedTarget[];
};

export type ListedTarget = { hostname: string; port: number | undefined };

const HTTPS_PORTS = [443];
const PORT_MAX = 65_535;
const ENTRY = /^(?<host>\[[\da-f:.]+\]|[^\s:/?#@\\*%[\]]+)(?::(?<port>\d{1,5}))?$/i;

/**
 * Builds the policy from the entries (`host` or `host:port`) of WITAN_ALLOW_PRIVATE_TARGETS. Throws
 * an Error that lists every invalid entry.
 */
export const parseTargetPolicy = (
  entries: readonly string[],
  environment: Environment,
  ports: readonly number[] = HTTPS_PORTS,
): TargetPolicy => {
  const allowPrivate = entries.map((entry) => parseEntry(entry) ?? entry);
  const invalidEntries = allowPrivate.filter((entry) => typeof entry === 'string');
  if (invalidEntries.length > 0) {
    throw new Error(
      invalidEntries.map((entry) => `${JSON.stringify(entry)} ${ENTRY_HINT}`).join('; '),
    );
  }
  return {
    environment,
    ports,
    allowPrivate: allowPrivate.filter((entry) => typeof entry !== 'string'),
  };
};

export const readTargetPolicy = (read: EnvReader, environment: Environment): TargetPolicy => {
  const name = 'WITAN_ALLOW_PRIVATE_TARGETS';
  try {
    return parseTargetPolicy(read.list(name), environment);
  } catch (error) {
    read.addError(`${name}: ${Error.isError(error) ? error.message : String(error)}`);
    return parseTargetPolicy([], environment);
  }
};

const ENTRY_HINT =
  'is not a host or host:port; give no scheme, path or wildcard, and an IPv6 address in brackets';

const parseEntry = (entry: string): ListedTarget | undefined => {
  const { host, port } = ENTRY.exec(entry)?.groups ?? {};
  const url = host === undefined ? null : URL.parse(`https://${host}/`);
  if (url === null) return undefined;
  if (port === undefined) return { hostname: normalizedHostname(url), port: undefined };
  const number = Number(port);
  if (number < 1 || number > PORT_MAX) return undefined;
  return { hostname: normalizedHostname(url), port: number };
};

export const isListedTarget = (
  policy: TargetPolicy,
  { hostname, port }: { hostname: string; port: number },
): boolean =>
  policy.allowPrivate.some((entry) => entry.hostname === hostname && (entry.port ?? port) === port);

/**
 * Returns the host of a URL for comparing, resolving and SNI: in lower-case ASCII (WHATWG), without
 * brackets and without the trailing dot of an absolute name.
 */
export const normalizedHostname = (url: URL): string => {
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(hostname) === 0 ? hostname.replace(/\.$/, '') : hostname;
};
