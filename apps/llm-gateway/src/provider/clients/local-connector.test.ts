import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { createLocal } from './local.ts';

const TIMEOUTS = { connectMs: 1_000, firstByteMs: 2_000, idleMs: 2_000 };

/** A non-loopback address of this machine, which the connector treats as another machine. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((item) => item && !item.internal && item.family === 'IPv4')?.address;

describe('the local runtime', () => {
  let server: Server;
  let port: number;
  let calls = 0;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      calls += 1;
      response.setHeader('content-type', 'application/json').end('{"data":[{"id":"llama"}]}');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, resolve);
    });
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );

  const connectToHost = async (host: string, hosts: readonly string[] = []): Promise<string> => {
    const provider = createLocal({ baseUrl: `http://${host}:${port}/v1`, hosts }, TIMEOUTS);
    try {
      return (await provider.listModels(AbortSignal.timeout(2_000))).join();
    } catch (error) {
      return isServiceError(error) ? error.reason : String(error);
    } finally {
      await provider.close();
    }
  };

  it.each(['127.0.0.1', '127.8.9.10', 'localhost', '2130706433', '0x7f.1'])(
    'is reached at %s',
    async (host) => {
      expect(await connectToHost(host)).toBe('llama');
    },
  );

  const itOutside = outside ? it : it.skip;
  const skipNote = outside ? '' : ' (skipped: this machine has only loopback addresses)';

  itOutside(
    `is not called outside this machine, and no byte is sent there${skipNote}`,
    async () => {
      const before = calls;
      expect(await connectToHost(outside!)).toBe('PROVIDER_UNREACHABLE');
      expect(calls).toBe(before);
    },
  );

  itOutside(`is reached at an address that the operator trusts${skipNote}`, async () => {
    expect(await connectToHost(outside!, [outside!])).toBe('llama');
    expect(await connectToHost(outside!, ['other.example'])).toBe('PROVIDER_UNREACHABLE');
  });

  it('is trusted by name, case-insensitively', async () => {
    expect(await connectToHost('LOCALHOST', ['localhost'])).toBe('llama');
  });
});
