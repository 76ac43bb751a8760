import { isIP } from 'node:net';
import dns from 'node:dns/promises';
import { abortable } from '../schedule/abortable.ts';
import { isAllowedAddress } from './is-allowed-address.ts';
import { OutboundError, blockedTarget } from './outbound-error.ts';
import type { TargetUrl } from './parse-target-url.ts';

/**
 * Returns all IP addresses of a name, in any order. For a name that does not resolve, it rejects or
 * returns an empty list.
 */
export type LookupAddresses = (
  target: Pick<TargetUrl, 'hostname' | 'isListed'>,
  signal: AbortSignal,
) => Promise<readonly string[]>;

const ADDRESSES_MAX = 8;

/**
 * Returns the addresses to which a connection to this target may be made, at most 8. Throws
 * OutboundError `blocked_address` if any of its addresses is not allowed, and `dns` if it does not
 * resolve. Rejects with the signal's reason if the signal aborts first.
 */
export const resolveTarget = async (
  target: Pick<TargetUrl, 'hostname' | 'isListed'>,
  { lookup, signal }: { lookup: LookupAddresses; signal: AbortSignal },
): Promise<readonly string[]> => {
  const addresses =
    isIP(target.hostname) === 0 ? await runLookup(target, lookup, signal) : [target.hostname];
  if (addresses.length === 0) throw unresolved();
  if (!addresses.every((address) => isAllowedAddress(address, target))) {
    throw blockedTarget('address', 'The URL leads to an address that may not be called.');
  }
  return addresses.slice(0, ADDRESSES_MAX);
};

const runLookup = async (
  target: Pick<TargetUrl, 'hostname' | 'isListed'>,
  lookup: LookupAddresses,
  signal: AbortSignal,
): Promise<readonly string[]> => {
  try {
    return await abortable(() => lookup(target, signal), signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw unresolved(error);
  }
};

const unresolved = (cause?: unknown): OutboundError =>
  new OutboundError('dns', 'The host name of the URL does not resolve.', { cause });

const QUERY_TIMEOUT_MS = 2_000;
const QUERIES_MAX = 2;

/**
 * Returns a function that resolves names. It does not use the system resolver for names that users
 * choose, because a slow, hostile name server would block one of the four threads of libuv's pool,
 * and because that resolver would try the cluster's search domains. It does use it for listed
 * targets: the operator chose them, and they may be in the hosts file.
 */
export const createAddressLookup =
  ({ servers }: { servers?: readonly string[] } = {}): LookupAddresses =>
  async ({ hostname, isListed }, signal) => {
    if (isListed) return (await dns.lookup(hostname, { all: true })).map(({ address }) => address);
    const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERIES_MAX });
    if (servers) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await resolveBothFamilies(resolver, hostname);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };

/**
 * Queries IPv4 and IPv6 addresses. Succeeds if one query does, because the other one fails for a
 * name with addresses of only one family.
 */
const resolveBothFamilies = async (resolver: dns.Resolver, hostname: string): Promise<string[]> => {
  const results = await Promise.allSettled([
    resolver.resolve4(hostname),
    resolver.resolve6(hostname),
  ]);
  const addresses = results.flatMap((result) =>
    result.status === 'fulfilled' ? result.value : [],
  );
  const [failed] = results.filter((result) => result.status === 'rejected');
  if (addresses.length === 0 && failed) throw failed.reason;
  return addresses;
};
