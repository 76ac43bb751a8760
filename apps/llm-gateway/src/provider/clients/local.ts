import { BlockList, isIP } from 'node:net';
import { ServiceError } from '@witan/contracts';
import { buildConnector } from 'undici';
import { createHttpProvider } from './http-provider.ts';
import type { ClosableProvider, ProviderTimeouts } from './http-provider.ts';
import { OPENAI_PATHS } from './openai.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');
LOOPBACK.addSubnet('::ffff:127.0.0.0', 104, 'ipv6');

const HEADERS = { accept: 'application/json', 'user-agent': 'Witan/0.1' };

/**
 * Creates the provider for an OpenAI-compatible runtime, such as Ollama or llama.cpp, on this
 * machine or on one of the trusted hosts.
 */
export const createLocal = (
  settings: { baseUrl: string; hosts: readonly string[] },
  timeouts: ProviderTimeouts,
): ClosableProvider =>
  createHttpProvider({
    name: 'local',
    dialects: ['chat-completions', 'embeddings'],
    baseUrl: settings.baseUrl,
    paths: { complete: OPENAI_PATHS, models: '/models' },
    headers: HEADERS,
    headersFor: () => ({}),
    timeouts,
    connect: createLocalConnector({ hosts: settings.hosts, timeoutMs: timeouts.connectMs }),
  });

/**
 * Creates a connector that closes connections to other machines, except to hosts that the operator
 * trusts (WITAN_LOCAL_HOSTS). For other hosts it checks the connected address, because a name can
 * resolve to any address.
 */
const createLocalConnector = (options: {
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
