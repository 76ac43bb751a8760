import { describe, expect, it } from '@jest/globals';
import { requestNats } from '@witan/stack/nats/request-nats';
import { findProcessIdentity } from '@witan/stack/postgres/process-identity';
import { NATS_MISSING } from './nats/open-test-nats.ts';
import { openTestSystem } from './open-test-system.ts';

const TIMEOUT_MS = 60_000;
const [itWithServer, skipReason] =
  NATS_MISSING === undefined ? ([it, ''] as const) : ([it.skip, ` (${NATS_MISSING})`] as const);

describe('openTestSystem', () => {
  itWithServer(
    `starts a broker with its streams on request, and stops it${skipReason}`,
    async () => {
      const system = await openTestSystem({ nats: true });
      const info = await requestNats(system.natsUrl!, { subject: '$JS.API.STREAM.INFO.EVENTS' });
      expect(JSON.parse(info)).toMatchObject({ config: { name: 'EVENTS' } });
      const pid = system.pids['nats']!;
      await expect(findProcessIdentity(pid)).resolves.toBeDefined();
      await system[Symbol.asyncDispose]();
      await expect(findProcessIdentity(pid)).resolves.toBeUndefined();
    },
    TIMEOUT_MS,
  );

  it(
    'starts no broker by default, even if nats-server is installed',
    async () => {
      await using system = await openTestSystem();
      expect(system.natsUrl).toBeNull();
      expect(system.pids).not.toHaveProperty('nats');
    },
    TIMEOUT_MS,
  );
});
