import { isIP } from 'node:net';
import { abortable } from './abortable.ts';
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
 * Returns the addresses to which a connection to this target may be made. Throws OutboundError
 * `blocked_address` if any of its addresses is not allowed, and `dns` if it has none. Rejects with
 * the signal's reason if the signal aborts first.
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
