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

/** undici takes a connection for free some turns after the end of an answer. */
const untilFree = async () => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
};

const asIs = (error: unknown) => error;

const failed = (failure: string, status?: number) => ({ ok: false, failure, status });

describe('a guarded call', () => {
  it('posts the body and answers status and body', async () => {
    const answer = await openClient().post(
      callOf(receiver.urlOf('ok?x=1'), { headers: { 'user-agent': 'Service-Tools/1.0' } }),
    );
    expect(answer).toMatchObject({ ok: true, status: 200 });
    expect(answer.ok && Buffer.from(answer.body).toString()).toBe('{"done":true}');
    const head = receiver.requests.at(-1)?.toLowerCase();
    expect(head).toMatch(/^post \/ok\?x=1 http\/1\.1\r\n/);
    expect(head).toContain('accept-encoding: identity');
    expect(head).toContain('user-agent: service-tools/1.0');
    expect(receiver.serverNames.at(-1)).toBe(RECEIVER);
  });

  it('keeps its connection for the same caller only', async () => {
    const client = openClient();
    const before = receiver.serverNames.length;
    for (const scope of ['a', 'a', 'b', 'a', 'b']) {
      expect(await client.post(callOf(receiver.urlOf('ok'), { scope }))).toMatchObject({
        ok: true,
      });
      await untilFree();
    }
    expect(receiver.serverNames.length - before).toBe(2);
  });

  it('keeps its connection behind an answer that is an error', async () => {
    const client = openClient();
    const before = receiver.serverNames.length;
    for (const path of ['error', 'error', 'ok']) {
      await client.post(callOf(receiver.urlOf(path)));
      await untilFree();
    }
    expect(receiver.serverNames.length - before).toBe(1);
  });

  it('judges the addresses before every call, whatever is connected', async () => {
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['127.0.0.1', '224.0.0.1'], []];
    const client = openClient({ lookup: async () => answers.shift() ?? [] });
    const call = callOf(receiver.urlOf('ok'));
    expect(await client.post(call)).toMatchObject({ ok: true });
    expect(await client.post(call)).toEqual(failed('blocked_address'));
    expect(await client.post(call)).toEqual(failed('blocked_address'));
    expect(await client.post(call)).toEqual(failed('dns'));
  });

  it('refuses the receiver when nobody listed it', async () => {
    const policy = parseTargetPolicy([], 'production', [receiver.port]);
    const client = openClient({ policy });
    const before = receiver.serverNames.length;
    expect(await client.post(callOf(receiver.urlOf('ok')))).toEqual(failed('blocked_address'));
    expect(await client.post(callOf(`https://127.0.0.1:${receiver.port}/`))).toEqual(
      failed('blocked_address'),
    );
    expect(receiver.serverNames.length).toBe(before);
  });

  it('answers dns when the lookup fails', async () => {
    const client = openClient({ lookup: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await client.post(callOf(receiver.urlOf('ok')))).toEqual(failed('dns'));
  });
});

describe('the one budget of a guarded call', () => {
  it.each(['hang', 'drip', 'hints-flood'])('ends /%s and its connection', async (path) => {
    const client = openClient();
    const call = callOf(receiver.urlOf(path), { timeoutMs: BUDGET_MS, bodyBytesMax: 1e6 });
    expect(await client.post(call)).toEqual(failed('timeout'));
    await receiver.whenAlone();
  });

  it('holds while DNS is silent', async () => {
    const client = openClient({ lookup: () => new Promise(() => {}) });
    const call = callOf(receiver.urlOf('ok'), { timeoutMs: BUDGET_MS });
    expect(await client.post(call)).toEqual(failed('timeout'));
  });

  it('does not wait for the slow body of an error', async () => {
    expect(await openClient().post(callOf(receiver.urlOf('error-drip')))).toEqual(
      failed('http_status', 500),
    );
    await receiver.whenAlone();
  });

  it('ends with the reason of its caller', async () => {
    const caller = new AbortController();
    const call = callOf(receiver.urlOf('hang'), { signal: caller.signal });
    const before = receiver.requests.length;
    const answer = openClient().post(call).catch(asIs);
    while (receiver.requests.length === before) await new Promise(setImmediate);
    caller.abort(new Error('The caller went away.'));
    expect(await answer).toEqual(new Error('The caller went away.'));
    await receiver.whenAlone();
  });

  it('is cancelled when the client closes', async () => {
    const client = openClient();
    const before = receiver.requests.length;
    const answer = client.post(callOf(receiver.urlOf('hang'))).catch(asIs);
    while (receiver.requests.length === before) await new Promise(setImmediate);
    await client.close();
    expect(await answer).toMatchObject({ reason: 'CANCELLED' });
  });
});

/** Places that the test gives, and a count of those that were given back. */
const openSemaphore = () => {
  const asked: (() => void)[] = [];
  let left = 0;
  const semaphore: ConnectionSemaphore = {
    acquire: () => new Promise((resolve) => asked.push(() => resolve(() => void (left += 1)))),
    close: () => {},
  };
  return { semaphore, asked, left: () => left };
};

describe('a guarded call that opens a connection', () => {
  it('waits for a place, and the wait is not its own', async () => {
    const { semaphore, asked } = openSemaphore();
    const call = callOf(receiver.urlOf('ok'), { timeoutMs: BUDGET_MS });
    const before = receiver.serverNames.length;
    const answer = openClient({ semaphore }).post(call);
    await new Promise((resolve) => setTimeout(resolve, BUDGET_MS * 2));
    expect(receiver.serverNames.length).toBe(before);
    asked[0]!();
    expect(await answer).toMatchObject({ ok: true });
  });

  it('keeps the rest of its budget', async () => {
    const { semaphore, asked } = openSemaphore();
    const call = callOf(receiver.urlOf('hang'), { timeoutMs: BUDGET_MS });
    const answer = openClient({ semaphore }).post(call);
    while (asked.length === 0) await new Promise(setImmediate);
    asked[0]!();
    expect(await answer).toEqual(failed('timeout'));
  });

  it('has its place until it is connected, and needs none for a kept connection', async () => {
    const { semaphore, asked, left } = openSemaphore();
    const client = openClient({ semaphore });
    const first = client.post(callOf(receiver.urlOf('ok')));
    while (asked.length === 0) await new Promise(setImmediate);
    expect(left()).toBe(0);
    asked[0]!();
    await first;
    await untilFree();
    const before = receiver.requests.length;
    const caller = new AbortController();
    const call = callOf(receiver.urlOf('hang'), { signal: caller.signal });
    const second = client.post(call).catch(asIs);
    while (receiver.requests.length === before) await new Promise(setImmediate);
    const third = client.post(call).catch(asIs);
    while (asked.length === 1) await new Promise(setImmediate);
    const given = left();
    asked[1]!();
    while (receiver.requests.length === before + 1) await new Promise(setImmediate);
    expect(left()).toBeGreaterThan(given);
    caller.abort();
    await Promise.all([second, third]);
    expect(asked).toHaveLength(2);
  });

  it('does not wait for the end of many that hang', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `https://${RECEIVER}:${(silent.address() as AddressInfo).port}/`;
    const client = openClient();
    let ended = 0;
    const hanging = Array.from({ length: 200 }, (_, n) =>
      client
        .post(callOf(url, { scope: `hangs-${n >> 2}`, timeoutMs: 3_500 }))
        .catch(asIs)
        .finally(() => (ended += 1)),
    );
    expect(await client.post(callOf(receiver.urlOf('ok')))).toMatchObject({ ok: true });
    expect(ended).toBe(0);
    await client.close();
    await Promise.all(hanging);
    silent.on('connection', (socket) => socket.destroy());
    for (const socket of sockets) socket.destroy();
    silent.close();
    await once(silent, 'close');
  }, 10_000);
});

describe('a hostile answer', () => {
  it.each([
    ['moved', failed('http_status', 308)],
    ['error', failed('http_status', 500)],
    ['header-flood', failed('response_too_large')],
    ['many-headers', failed('response_too_large')],
    ['long', failed('response_too_large')],
    ['endless', failed('response_too_large')],
    ['continue-flood', failed('connect')],
    ['garbage', failed('connect')],
    ['upgrade', failed('connect')],
    ['cut', failed('connect')],
    ['close', failed('connect')],
  ])('of /%s is %p', async (path, expected) => {
    const before = receiver.requests.length;
    expect(await openClient().post(callOf(receiver.urlOf(path)))).toEqual(expected);
    expect(receiver.requests.length).toBe(before + 1);
  });

  it.each(['long', 'endless'])('of /%s is cut when the caller wants that', async (path) => {
    const call = callOf(receiver.urlOf(path), { oversizedBody: 'truncate' });
    const answer = await openClient().post(call);
    expect(answer).toMatchObject({ ok: true, status: 200 });
    expect(answer.ok && answer.body).toHaveLength(1_024);
  });

  it('that never ends costs the connection, not the memory', async () => {
    await openClient().post(callOf(receiver.urlOf('endless'), { oversizedBody: 'truncate' }));
    await receiver.whenAlone();
    expect(receiver.sentBytes()).toBeLessThan(16 * 1024 * 1024);
  });

  it('is read to its limit, inclusive', async () => {
    const call = callOf(receiver.urlOf('long'), { bodyBytesMax: 10_000 });
    expect(await openClient().post(call)).toMatchObject({ ok: true });
  });
});
