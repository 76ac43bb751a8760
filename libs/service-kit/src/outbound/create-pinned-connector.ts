import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { OutboundError } from './outbound-error.ts';

export type PinnedConnectorOptions = {
  /** Checked addresses; no other is ever connected to. */
  addresses: readonly string[];
  /** For TCP and TLS together, in milliseconds. */
  timeoutMs: number;
  /**
   * Whom to trust. One for all connections, because each costs 1 to 2 ms of CPU to make; it knows
   * no host, and on the side of a client it keeps no sessions.
   */
  secureContext: SecureContext;
};

/** How long one of several addresses may hang before the next is tried, in milliseconds. */
const ATTEMPT_MS = 1_000;

/**
 * Opens connections to the given addresses only, while SNI and certificate keep the name. Fails
 * with OutboundError `connect`, `tls` or `timeout`. Speaks HTTP/1.1 only, so that the limits of the
 * client hold for every byte.
 */
export const createPinnedConnector = ({
  addresses,
  timeoutMs,
  secureContext,
}: PinnedConnectorOptions): buildConnector.connector => {
  const connect = buildConnector({
    lookup: lookupPinned(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    timeout: timeoutMs,
    allowH2: false,
    // A resumed session would not show the certificate again.
    maxCachedSessions: 0,
    secureContext,
  });
  return (options, callback) => {
    // undici takes the server name from a `host` header, which may say anything.
    const servername = isIP(options.hostname) === 0 ? options.hostname : undefined;
    connect({ ...options, servername }, (...[error, socket]) => {
      if (error) callback(toConnectError(error, options.protocol), null);
      else callback(null, socket);
    });
  };
};

/** Node calls it for names only; an IP literal is its own address. */
const lookupPinned = (addresses: readonly string[]): LookupFunction => {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = all;
    if (options.all) callback(null, all);
    else if (first) callback(null, first.address, first.family);
    else callback(new Error('No address was pinned.'), '', 0);
  };
};

const TIMED_OUT = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);

const toConnectError = (error: Error, protocol: string): OutboundError => {
  if ('code' in error && typeof error.code === 'string' && TIMED_OUT.has(error.code)) {
    return new OutboundError('timeout', 'The host did not answer in time.', { cause: error });
  }
  if (protocol === 'https:' && !isTcpError(error)) {
    const message = 'No trusted TLS connection to the host could be made.';
    return new OutboundError('tls', message, { cause: error });
  }
  return new OutboundError('connect', 'The host refused the connection.', { cause: error });
};

/** Node names the system call; a host with several addresses fails with one error for each. */
const isTcpError = (error: unknown): boolean => {
  if (!Error.isError(error)) return false;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.every(isTcpError);
  return 'syscall' in error && error.syscall === 'connect';
};
