import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { OutboundError } from './outbound-error.ts';

export type PinnedConnectorOptions = {
  addresses: readonly string[];
  timeoutMs: number;
  /**
   * Contains the trusted certificate authorities. All connections share it, because creating one
   * takes 1 to 2 ms of CPU. It caches no TLS sessions for clients.
   */
  secureContext: SecureContext;
};

const ATTEMPT_MS = 1_000;

/**
 * Returns a connector that connects only to the given addresses and uses the host name for SNI and
 * to verify the certificate. Fails with OutboundError `connect`, `tls` or `timeout`. Does not use
 * HTTP/2, which the limits of the client do not cover.
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
    // TLS sessions are not cached, because resuming one would skip the certificate check.
    maxCachedSessions: 0,
    secureContext,
  });
  return (options, callback) => {
    // Set explicitly: undici would take the server name from a `host` header, which is not checked.
    const servername = isIP(options.hostname) === 0 ? options.hostname : undefined;
    connect({ ...options, servername }, (...[error, socket]) => {
      if (error) callback(toConnectError(error, options.protocol), null);
      else callback(null, socket);
    });
  };
};

const lookupPinned = (addresses: readonly string[]): LookupFunction => {
  const addressEntries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, options, callback) => {
    const [first] = addressEntries;
    if (options.all) callback(null, addressEntries);
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

/**
 * Returns true if the system call `connect` failed. For a host with several addresses, the error
 * contains one error per address.
 */
const isTcpError = (error: unknown): boolean => {
  if (!Error.isError(error)) return false;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.every(isTcpError);
  return 'syscall' in error && error.syscall === 'connect';
};
