import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddresses } from './resolve-target.ts';

const QUERY_TIMEOUT_MS = 2_000;
const QUERIES_MAX = 2;

/**
 * Returns a DNS lookup. For names that users choose it does not use the system resolver, which
 * would block one of the process's four threads as long as a hostile name server stalls, and would
 * try the cluster's search domains. Listed targets are chosen by the operator and may be in the
 * hosts file, so the system resolver is used for them.
 */
export const createAddressLookup =
  ({ servers }: { servers?: readonly string[] } = {}): LookupAddresses =>
  async ({ hostname, isListed }, signal) => {
    if (isListed) return (await lookup(hostname, { all: true })).map(({ address }) => address);
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERIES_MAX });
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
 * Queries both address families. A name with addresses of only one family fails the query for the
 * other.
 */
const resolveBothFamilies = async (resolver: Resolver, hostname: string): Promise<string[]> => {
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
