import { BlockList, isIP } from 'node:net';
import { ServiceError } from '@witan/contracts';
import { buildConnector } from 'undici';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
LOOPBACK.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

/**
 * Creates a connector that connects only to this machine and to hosts that the operator trusts
 * (WITAN_LOCAL_HOSTS). It checks the connected address, so a host name cannot mislead it.
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
