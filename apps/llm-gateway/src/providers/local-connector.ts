import { BlockList, isIP } from 'node:net';
import { ServiceError } from '@witan/contracts';
import { buildConnector } from 'undici';

/** Loopback, whatever the notation. */
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
LOOPBACK.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/**
 * Connects only to this machine, or to hosts that the operator counts as part of it
 * (WITAN_LOCAL_HOSTS). Judged by the address that was really connected, so no name can lie.
 */
export const createLocalConnector = (options: {
  hosts: readonly string[];
  timeoutMs: number;
}): buildConnector.connector => {
  const trusted = new Set(options.hosts.map((host) => host.toLowerCase()));
  const connect = buildConnector({ timeout: options.timeoutMs, allowH2: false });
  return (target, callback) => {
    connect(target, (...result) => {
      const [error, socket] = result;
      if (error) return callback(error, null);
      const address = socket.remoteAddress ?? '';
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (trusted.has(target.hostname.toLowerCase()) || LOOPBACK.check(address, family)) {
        return callback(null, socket);
      }
      socket.destroy();
      return callback(notLocal(), null);
    });
  };
};

const notLocal = (): ServiceError =>
  new ServiceError(
    'PROVIDER_UNREACHABLE',
    'LOCAL_BASE_URL leads off this machine; list its host in WITAN_LOCAL_HOSTS if it is trusted.',
  );
