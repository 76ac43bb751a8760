import { lookup, Resolver } from 'node:dns/promises';
import type { LookupAddresses } from './resolve-target.ts';

/** How long one question waits, in milliseconds, and how often it is asked. */
const QUERY_TIMEOUT_MS = 2_000;
const QUERIES_MAX = 2;

/**
 * Looks names up in DNS. Users choose the names, so they are asked for by Node's own resolver and
 * not by the system's: that one blocks one of four threads of the whole process for as long as a
 * hostile name server likes, and would try the search domains of the cluster. Listed targets are
 * the operator's: the system knows them, from its hosts file for example.
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

/** A name with addresses of one family only answers the other question with an error. */
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
