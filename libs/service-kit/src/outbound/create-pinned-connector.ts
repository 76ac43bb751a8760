import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { OutboundError } from './outbound-error.ts';

export type PinnedConnectorOptions = {
  addresses: readonly string[];
  timeoutMs: number;
  /**
   * Contains the trusted authorities. It is shared by all connections, because creating one takes 1
   * to 2 ms of CPU. On the client side it caches no sessions.
   */
  secureContext: SecureContext;
};

const ATTEMPT_MS = 1_000;

/**
 * Returns a connector that uses the given addresses only, with the host name for SNI and
 * certificate. Fails with OutboundError `connect`, `tls` or `timeout`. HTTP/1.1 only, because the
 * client's limits do not cover HTTP/2.
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
    // A resumed session would skip the certificate check.
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

/**
 * Returns true if the system call `connect` failed. If a host has several addresses, the error
 * contains one error for each.
 */
const isTcpError = (error: unknown): boolean => {
  if (!Error.isError(error)) return false;
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.every(isTcpError);
  return 'syscall' in error && error.syscall === 'connect';
};
