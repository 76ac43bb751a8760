import { describe, expect, it } from '@jest/globals';
import { createLog } from '../log/create-log.ts';
import { startService } from './start-service.ts';

describe('a service that stops', () => {
  it('is live but not ready while its running calls end', async () => {
    const { promise: drained, resolve: endCalls } = Promise.withResolvers<void>();
    const service = await startService({
      name: 'ledger',
      config: {},
      create: async () => ({
        implementations: [],
        checks: {},
        stop: async () => {},
        http: { url: 'http://127.0.0.1:1', drain: () => drained },
      }),
      callGraph: {},
      log: createLog({ service: 'ledger', level: 'silent' }),
      connect: () => {
        throw new Error('The service calls no other one.');
      },
      admin: { host: '127.0.0.1', port: 0 },
      drainMs: 60_000,
    });
    const statusOf = async (path: string) => (await fetch(`${service.adminUrl}${path}`)).status;
    expect(await statusOf('/readyz')).toBe(200);
    const stopped = service.stop();
    expect([await statusOf('/readyz'), await statusOf('/livez')]).toEqual([503, 200]);
    endCalls();
    await stopped;
  });
});
