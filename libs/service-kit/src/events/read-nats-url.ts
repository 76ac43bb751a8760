import type { EnvReader } from '../config/read-env.ts';

const SCHEMES = new Set(['nats:', 'tls:']);

/**
 * Reads `NATS_URL`, for example `nats://host:4222`; commas separate the servers of a cluster.
 * Returns undefined if no broker is configured.
 */
export const readNatsUrl = (read: EnvReader): string | undefined => {
  const servers = read.list('NATS_URL');
  const hasKnownScheme = (text: string): boolean =>
    URL.canParse(text) && SCHEMES.has(new URL(text).protocol) && new URL(text).hostname !== '';
  if (!servers.every(hasKnownScheme)) {
    read.addError('NATS_URL must hold URLs starting with nats: or tls:, separated by commas');
  }
  return servers.length === 0 ? undefined : servers.join(',');
};
