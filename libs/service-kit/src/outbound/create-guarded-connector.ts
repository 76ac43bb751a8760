import { isIPv6 } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { buildConnector } from 'undici';
import { createAddressLookup, resolveTarget } from './resolve-target.ts';
import { createPinnedConnector } from './create-pinned-connector.ts';
import { OutboundError } from './outbound-error.ts';
import { parseTargetUrl } from './parse-target-url.ts';
import type { LookupAddresses } from './resolve-target.ts';
import type { TargetPolicy } from './target-policy.ts';

export type GuardedConnectorOptions = {
  policy: TargetPolicy;
  /** Time limit for DNS, and then again for TCP and TLS together, in milliseconds. */
  timeoutMs: number;
  lookup?: LookupAddresses;
  ca?: string;
  createConnector?: typeof createPinnedConnector;
};

/**
 * Returns a connector for undici's `new Agent({ connect })`. For every connection it resolves the
 * host and checks its addresses again, and connects only to these. Fails with OutboundError.
 */
export const createGuardedConnector = ({
  policy,
  timeoutMs,
  lookup = createAddressLookup(),
  ca,
  createConnector = createPinnedConnector,
}: GuardedConnectorOptions): buildConnector.connector => {
  const secureContext = createSecureContext({ ca });
  const resolve = async (options: buildConnector.Options): Promise<readonly string[]> => {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const target = parseTargetUrl(toUrl(options), policy);
      return await resolveTarget(target, { lookup, signal });
    } catch (error) {
      if (signal.aborted) throw new OutboundError('timeout', 'DNS did not answer in time.');
      throw error;
    }
  };
  const open = async (...[options, callback]: Parameters<buildConnector.connector>) => {
    try {
      createConnector({ addresses: await resolve(options), timeoutMs, secureContext })(
        options,
        callback,
      );
    } catch (error) {
      callback(error as Error, null);
    }
  };
  return (options, callback) => void open(options, callback);
};

/**
 * Returns the URL that a connection is for. undici passes an IPv6 literal without brackets and
 * omits the default port.
 */
const toUrl = ({ protocol, hostname, port }: buildConnector.Options): string =>
  `${protocol}//${isIPv6(hostname) ? `[${hostname}]` : hostname}${port ? `:${port}` : ''}/`;
