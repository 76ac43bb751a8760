import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  callOf,
  LISTED,
  onLoopback,
  openGuardedFixture,
  RECEIVER,
} from '../../test/open-guarded-fixture.ts';
import { createGuardedClient } from './create-guarded-client.ts';
import type { GuardedClient, GuardedClientOptions } from './create-guarded-client.ts';
import type { ConnectionSemaphore } from './create-connection-semaphore.ts';
import { parseTargetPolicy } from './target-policy.ts';

const BUDGET_MS = 300;

let receiver: Awaited<ReturnType<typeof openGuardedFixture>>;
beforeAll(async () => {
  receiver = await openGuardedFixture();
});
afterAll(() => receiver.close());

const clients: GuardedClient[] = [];
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

const openClient = (options: Partial<GuardedClientOptions> = {}): GuardedClient => {
  const client = createGuardedClient({
    policy: LISTED,
    lookup: onLoopback,
    ca: receiver.ca,
    ...options,
  });
  clients.push(client);
  return client;
};

/**
 * Waits until undici marks a connection as free, which takes some ticks after the end of a
 * response.
 */
const untilIdle = async () => {
  for (let n = 0; n < 3; n += 1) await new Promise(setImmediate);
};

const identity = (error: unknown) => error;

const failed = (failure: string, status?: number) => ({ ok: false, failure, status });

describe('createGuardedClient', () => {
  it('posts the body and returns status and body', async () => {
    const result = await openClient().post(
      callOf(receiver.urlOf('ok?x=1'), { headers: { 'user-agent': 'Service-Tools/1.0' } }),
    );
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(result.ok && Buffer.from(result.body).toString()).toBe('{"done":true}');
    const head = receiver.requests.at(-1)?.toLowerCase();
    expect(head).toMatch(/^post \/ok\?x=1 http\/1\.1\r\n/);
    expect(head).toContain('accept-encoding: identity');
    expect(head).toContain('user-agent: service-tools/1.0');
    expect(receiver.serverNames.at(-1)).toBe(RECEIVER);
  });

  it('sends a DELETE request without a body', async () => {
    const { body: _body, ...call } = callOf(receiver.urlOf('ok'));
    expect(await openClient().delete(call)).toMatchObject({ ok: true, status: 200 });
    const head = receiver.requests.at(-1)?.toLowerCase();
    expect(head).toMatch(/^delete \/ok http\/1\.1\r\n/);
    expect(head).not.toContain('transfer-encoding');
  });

  it('reuses a connection for the same scope only', async () => {
    const client = openClient();
    const before = receiver.serverNames.length;
    for (const scope of ['a', 'a', 'b', 'a', 'b']) {
      expect(await client.post(callOf(receiver.urlOf('ok'), { scope }))).toMatchObject({
        ok: true,
      });
      await untilIdle();
    }
    expect(receiver.serverNames.length - before).toBe(2);
  });

  it('reuses the connection after an error response', async () => {
    const client = openClient();
    const before = receiver.serverNames.length;
    for (const path of ['error', 'error', 'ok']) {
      await client.post(callOf(receiver.urlOf(path)));
      await untilIdle();
    }
    expect(receiver.serverNames.length - before).toBe(1);
  });

  it.each([[[500]], ['all']] as const)(
    'returns the body and the wanted headers of a response with status 500 if %j are answers',
    async (answerStatuses) => {
      const wantedHeaders = ['content-length', 'x-missing'];
      const result = await openClient().post(
        callOf(receiver.urlOf('error'), { answerStatuses, wantedHeaders }),
      );
      expect(result).toMatchObject({ ok: true, status: 500, headers: { 'content-length': '6' } });
      expect(result.ok && Buffer.from(result.body).toString()).toBe('secret');
    },
  );

  it('checks the addresses before every call, even if it is connected', async () => {
    const lookups = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '224.0.0.1'], []];
    const client = openClient({ lookup: async () => lookups.shift() ?? [] });
    const call = callOf(receiver.urlOf('ok'));
    expect(await client.post(call)).toMatchObject({ ok: true });
    expect(await client.post(call)).toEqual(failed('blocked_address'));
    expect(await client.post(call)).toEqual(failed('blocked_address'));
    expect(await client.post(call)).toEqual(failed('dns'));
  });

  it('refuses a private receiver that is not listed', async () => {
    const policy = parseTargetPolicy([], 'production', [receiver.port]);
    const client = openClient({ policy });
    const before = receiver.serverNames.length;
    expect(await client.post(callOf(receiver.urlOf('ok')))).toEqual(failed('blocked_address'));
    expect(await client.post(callOf(`https://127.0.0.1:${receiver.port}/`))).toEqual(
      failed('blocked_address'),
    );
    expect(receiver.serverNames.length).toBe(before);
  });

  it('fails with dns when the lookup fails', async () => {
    const client = openClient({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await client.post(callOf(receiver.urlOf('ok')))).toEqual(failed('dns'));
  });
});

describe('the time budget of a guarded call', () => {
  it.each(['hang', 'drip', 'hints-flood'])(
    'ends the call of /%s and its connection when it is spent',
    async (path) => {
      const client = openClient();
      const call = callOf(receiver.urlOf(path), { timeoutMs: BUDGET_MS, bodyBytesMax: 1e6 });
      expect(await client.post(call)).toEqual(failed('timeout'));
      await receiver.whenDisconnected();
    },
  );

  it('includes the DNS lookup', async () => {
    const client = openClient({ lookup: () => new Promise(() => {}) });
    const call = callOf(receiver.urlOf('ok'), { timeoutMs: BUDGET_MS });
    expect(await client.post(call)).toEqual(failed('timeout'));
  });

  it('does not include the slow body of an error response', async () => {
    expect(await openClient().post(callOf(receiver.urlOf('error-drip')))).toEqual(
      failed('http_status', 500),
    );
    await receiver.whenDisconnected();
  });

  it('preserves the reason of an aborted signal', async () => {
    const caller = new AbortController();
    const call = callOf(receiver.urlOf('hang'), { signal: caller.signal });
    const before = receiver.requests.length;
    const result = openClient().post(call).catch(identity);
    while (receiver.requests.length === before) await new Promise(setImmediate);
    caller.abort(new Error('The caller went away.'));
    expect(await result).toEqual(new Error('The caller went away.'));
    await receiver.whenDisconnected();
  });

  it('ends with CANCELLED when the client closes', async () => {
    const client = openClient();
    const before = receiver.requests.length;
    const result = client.post(callOf(receiver.urlOf('hang'))).catch(identity);
    while (receiver.requests.length === before) await new Promise(setImmediate);
    await client.close();
    expect(await result).toMatchObject({ reason: 'CANCELLED' });
  });
});

const openSemaphore = () => {
  const grants: (() => void)[] = [];
  let releasedCount = 0;
  const semaphore: ConnectionSemaphore = {
    acquire: () =>
      new Promise((resolve) => grants.push(() => resolve(() => void (releasedCount += 1)))),
    close: () => {},
  };
  return { semaphore, grants, releasedCount: () => releasedCount };
};

describe('the connection permit of a guarded call', () => {
  it('is awaited outside of the time budget', async () => {
    const { semaphore, grants } = openSemaphore();
    const call = callOf(receiver.urlOf('ok'), { timeoutMs: BUDGET_MS });
    const before = receiver.serverNames.length;
    const result = openClient({ semaphore }).post(call);
    await new Promise((resolve) => setTimeout(resolve, BUDGET_MS * 2));
    expect(receiver.serverNames.length).toBe(before);
    grants[0]!();
    expect(await result).toMatchObject({ ok: true });
  });

  it('leaves the rest of the time budget for the request', async () => {
    const { semaphore, grants } = openSemaphore();
    const call = callOf(receiver.urlOf('hang'), { timeoutMs: BUDGET_MS });
    const result = openClient({ semaphore }).post(call);
    while (grants.length === 0) await new Promise(setImmediate);
    grants[0]!();
    expect(await result).toEqual(failed('timeout'));
  });

  it('is released on connect, and not needed for an open connection', async () => {
    const { semaphore, grants, releasedCount } = openSemaphore();
    const client = openClient({ semaphore });
    const first = client.post(callOf(receiver.urlOf('ok')));
    while (grants.length === 0) await new Promise(setImmediate);
    expect(releasedCount()).toBe(0);
    grants[0]!();
    await first;
    await untilIdle();
    const before = receiver.requests.length;
    const caller = new AbortController();
    const call = callOf(receiver.urlOf('hang'), { signal: caller.signal });
    const second = client.post(call).catch(identity);
    while (receiver.requests.length === before) await new Promise(setImmediate);
    const third = client.post(call).catch(identity);
    while (grants.length === 1) await new Promise(setImmediate);
    const releasedBefore = releasedCount();
    grants[1]!();
    while (receiver.requests.length === before + 1) await new Promise(setImmediate);
    expect(releasedCount()).toBeGreaterThan(releasedBefore);
    caller.abort();
    await Promise.all([second, third]);
    expect(grants).toHaveLength(2);
  });

  it('remains available to other calls while many hosts hang', async () => {
    const sockets: Socket[] = [];
    const silentServer = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silentServer, 'listening');
    const url = `https://${RECEIVER}:${(silentServer.address() as AddressInfo).port}/`;
    const client = openClient();
    let ended = 0;
    const hangingCalls = Array.from({ length: 200 }, (_, n) =>
      client
        .post(callOf(url, { scope: `hangs-${n >> 2}`, timeoutMs: 3_500 }))
        .catch(identity)
        .finally(() => (ended += 1)),
    );
    expect(await client.post(callOf(receiver.urlOf('ok')))).toMatchObject({ ok: true });
    expect(ended).toBe(0);
    await client.close();
    await Promise.all(hangingCalls);
    silentServer.on('connection', (socket) => socket.destroy());
    for (const socket of sockets) socket.destroy();
    silentServer.close();
    await once(silentServer, 'close');
  }, 10_000);
});

describe('a hostile response', () => {
  it.each([
    ['moved', failed('http_status', 308)],
    ['error', failed('http_status', 500)],
    ['header-flood', failed('response_too_large')],
    ['many-headers', failed('response_too_large')],
    ['long', failed('response_too_large')],
    ['endless', failed('response_too_large')],
    ['continue-flood', failed('connect')],
    ['garbage', failed('connect')],
    ['low-status', failed('connect')],
    ['upgrade', failed('connect')],
    ['cut', failed('connect')],
    ['close', failed('connect')],
  ])('of /%s returns %p', async (path, expected) => {
    const before = receiver.requests.length;
    expect(await openClient().post(callOf(receiver.urlOf(path)))).toEqual(expected);
    expect(receiver.requests.length).toBe(before + 1);
  });

  it.each(['long', 'endless'])('of /%s is truncated on request', async (path) => {
    const call = callOf(receiver.urlOf(path), { oversizedBody: 'truncate' });
    const result = await openClient().post(call);
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(result.ok && result.body).toHaveLength(1_024);
  });

  it('that never ends is cut off and does not fill the memory', async () => {
    await openClient().post(callOf(receiver.urlOf('endless'), { oversizedBody: 'truncate' }));
    await receiver.whenDisconnected();
    expect(receiver.sentBytes()).toBeLessThan(16 * 1024 * 1024);
  });

  it('may have exactly the largest allowed size', async () => {
    const call = callOf(receiver.urlOf('long'), { bodyBytesMax: 10_000 });
    expect(await openClient().post(call)).toMatchObject({ ok: true });
  });
});
