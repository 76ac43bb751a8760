import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddresses } from './resolve-target.ts';

const QUERY_TIMEOUT_MS = 2_000;
const QUERIES_MAX = 2;

/**
 * Returns a function that resolves names. It does not use the system resolver for names that users
 * choose, because a slow, hostile name server would block one of the process's four threads, and
 * because the resolver would try the cluster's search domains. It does use it for listed targets:
 * the operator chose them, and they may be in the hosts file.
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
 * Queries IPv4 and IPv6 addresses. Succeeds if one query does, because the other one fails for a
 * name with addresses of only one family.
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
