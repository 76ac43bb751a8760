import { credentials, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ModelService } from '@witan/contracts/services';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { implementCompletions } from '../../test/implement-completions.ts';
import { CALL, openCallee } from '../../test/open-callee.ts';
import type { Callee } from '../../test/open-callee.ts';
import { openCaller } from '../../test/open-caller.ts';
import type { Caller } from '../../test/open-caller.ts';
import { reasonOf } from '../../test/reason-of.ts';
import { implement } from '../rpc/transport.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type NamedCallee = Callee & {
  finishStreams: () => void;
  aborted: Promise<unknown>;
};

/**
 * Opens a service that lists one model with the id `name`. Its streams send one message, and a
 * second one after `finishStreams` or an abort.
 */
const open = async (
  name: string,
  options?: Parameters<typeof openCallee>[1],
): Promise<NamedCallee> => {
  const gate = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<unknown>();
  const toEvent = (text: string) => ({
    event: { case: 'wire' as const, value: Buffer.from(text) },
  });
  const callee = await openCallee(
    [
      implement(ModelService, { listModels: async () => ({ models: [{ id: name }] }) }),
      implementCompletions({
        async *complete(_request, { signal }) {
          signal.addEventListener('abort', () => aborted.resolve(signal.reason));
          yield toEvent('first');
          await Promise.race([gate.promise, aborted.promise]);
          yield toEvent('last');
        },
        async *completeAs() {
          yield toEvent(name);
        },
      }),
    ],
    options,
  );
  closers.push(() => callee.stop(0));
  return { ...callee, finishStreams: gate.resolve, aborted: aborted.promise };
};

const connect = (...[callee, options]: Parameters<typeof openCaller>): Caller => {
  const caller = openCaller(callee, options);
  closers.push(caller.transport.close);
  return caller;
};

const replicasOf = (...callees: Callee[]) => {
  const replicaAddresses = callees.map(({ address }) => ({ target: address }));
  return { replicaAddresses, findReplicas: async () => [...replicaAddresses] };
};

const callUntil = async ({ readReplicaName }: Caller, name: string): Promise<void> => {
  while ((await readReplicaName()) !== name);
};

const callTimes = async ({ readReplicaName }: Caller, times: number): Promise<string[]> => {
  const names: string[] = [];
  for (let n = 0; n < times; n += 1) names.push(await readReplicaName());
  return names.toSorted();
};

const LONG_MS = 300_000;

describe('the replicas of a service', () => {
  it('receive calls round robin', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const caller = connect(a, replicasOf(a, b));
    await callUntil(caller, 'a');
    await callUntil(caller, 'b');
    expect(await callTimes(caller, 6)).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  });

  it('receive no new calls when they stop, and finish running ones', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const replicaAddresses = replicasOf(a);
    const caller = connect(a, { ...replicaAddresses, renewMs: 20 });
    const finish = await caller.startStream();
    replicaAddresses.replicaAddresses.push({ target: b.address });
    await callUntil(caller, 'b');
    const stopped = Promise.all([a.dispatcher.drain(LONG_MS), a.stop(LONG_MS)]);
    let consecutive = 0;
    while (consecutive < 5)
      consecutive = (await caller.readReplicaName()) === 'b' ? consecutive + 1 : 0;
    a.finishStreams();
    expect(await finish()).toBe(2);
    await stopped;
  });

  it('lose no duplex call when one of them stops', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const address = `ipv4:${[a, b].map((callee) => callee.address).join(',')}`;
    const caller = connect({ ...a, address });
    const names: string[] = [];
    let stopped: Promise<unknown> | undefined;
    while (names.length < 300) {
      const calls = Array.from({ length: 10 }, () => caller.readDuplexName());
      if (names.length === 100)
        stopped = Promise.all([a.dispatcher.drain(LONG_MS), a.stop(LONG_MS)]);
      names.push(...(await Promise.all(calls)));
    }
    await stopped;
    expect(new Set(names.slice(0, 100))).toEqual(new Set(['a', 'b']));
    expect(new Set(names.slice(-100))).toEqual(new Set(['b']));
  });

  it('are replaced when the lookup changes; running calls finish at the old replica', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const { replicaAddresses, findReplicas } = replicasOf(a);
    const caller = connect(a, { findReplicas, renewMs: 20 });
    const finish = await caller.startStream();
    replicaAddresses.splice(0, 1, { target: b.address });
    await callUntil(caller, 'b');
    expect(await callTimes(caller, 5)).toEqual(Array(5).fill('b'));
    a.finishStreams();
    expect(await finish()).toBe(2);
  });

  it('retain their sessions while the lookup fails', async () => {
    const a = await open('a');
    const failed = Promise.withResolvers<void>();
    let lookups = 0;
    const findReplicas = async () => {
      lookups += 1;
      if (lookups === 1) return [{ target: a.address }];
      if (lookups === 3) failed.resolve();
      throw new Error('no name server');
    };
    const caller = connect(a, { findReplicas, renewMs: 20 });
    await caller.readReplicaName();
    await failed.promise;
    expect(await caller.readReplicaName()).toBe('a');
    expect(await caller.readDuplexName()).toBe('a');
  });

  it('are reached by address and verified by name', async () => {
    const { cert, key } = createTestCertificate(['localhost']);
    const [chain, secret] = [Buffer.from(cert), Buffer.from(key)];
    const tls = ServerCredentials.createSsl(null, [{ cert_chain: chain, private_key: secret }]);
    const a = await open('a', { credentials: tls });
    const address = `dns:///localhost:${a.port}`;
    const caller = connect({ ...a, address }, { credentials: credentials.createSsl(chain) });
    expect(await caller.readReplicaName()).toBe('a');
  });
});

describe('a session', () => {
  it('is renewed without interrupting a running call', async () => {
    const renewed = Promise.withResolvers<void>();
    const onVerified = (count: number): void => {
      if (count === 5) renewed.resolve();
    };
    const a = await open('a', { onVerified });
    const caller = connect(a, { renewMs: 20 });
    const finish = await caller.startStream();
    await renewed.promise;
    expect(await caller.readReplicaName()).toBe('a');
    a.finishStreams();
    expect(await finish()).toBe(2);
  });

  it('fails its calls when the service stops, and reopens when the service is reachable again', async () => {
    const a = await open('a');
    const caller = connect(a);
    const finish = await caller.startStream();
    await a.stop(0);
    expect(await reasonOf(finish())).toBe('UNAVAILABLE');
    await expect(a.aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
    await open('again', { port: a.port });
    expect(await caller.readReplicaName()).toBe('again');
  });

  it('ends on both sides when its transport is closed', async () => {
    const a = await open('a');
    const caller = connect(a);
    const finish = await caller.startStream();
    await caller.transport.close();
    expect(await reasonOf(finish())).toBe('UNAVAILABLE');
    await expect(a.aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
    expect(await reasonOf(caller.readReplicaName())).toBe('UNAVAILABLE');
  });

  it('is refused to an unauthenticated caller', async () => {
    const a = await open('a');
    const caller = connect({ ...a, token: () => 'forged' });
    expect(await reasonOf(caller.readReplicaName())).toBe('CALLER_REFUSED');
  });
});

describe('a call without an open session', () => {
  const openUnreachable = async (): Promise<Callee> => {
    const callee = await open('nobody');
    await callee.stop(0);
    return callee;
  };

  it('waits for a service that is starting', async () => {
    const unreachable = await openUnreachable();
    const response = connect(unreachable).readReplicaName();
    await open('started', { port: unreachable.port });
    expect(await response).toBe('started');
  });

  it('waits for a service that is starting, if it is a duplex call', async () => {
    const unreachable = await openUnreachable();
    const response = connect(unreachable).readDuplexName();
    await open('started', { port: unreachable.port });
    expect(await response).toBe('started');
  });

  it('reports that the service is unreachable', async () => {
    const reported: string[] = [];
    const onUnreachable = ({ reason }: { reason: string }): void => void reported.push(reason);
    const caller = connect(await openUnreachable(), { onUnreachable });
    const calls = [caller.readReplicaName(), caller.readDuplexName()];
    expect(await Promise.all(calls.map(reasonOf))).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    expect(reported).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  });

  it('fails with UNAVAILABLE before its deadline', async () => {
    const { readReplicaName, transport } = connect(await openUnreachable());
    expect(await Promise.all([reasonOf(readReplicaName()), reasonOf(transport.ready(10))])).toEqual(
      ['UNAVAILABLE', 'UNAVAILABLE'],
    );
  });

  it('fails with DEADLINE_EXCEEDED at its deadline', async () => {
    const { readReplicaName } = connect(await openUnreachable());
    expect(await reasonOf(readReplicaName(20))).toBe('DEADLINE_EXCEEDED');
  });

  it('fails with CANCELLED when its signal aborts', async () => {
    const { readReplicaName } = connect(await openUnreachable());
    const controller = new AbortController();
    const response = reasonOf(readReplicaName(CALL.timeoutMs, controller.signal));
    controller.abort();
    expect(await response).toBe('CANCELLED');
  });

  it('fails with the lookup error as its cause', async () => {
    const unreachable = await openUnreachable();
    const findReplicas = async () => {
      throw new Error('no such name');
    };
    const response = connect(unreachable, { findReplicas }).readReplicaName();
    await expect(response).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
      cause: new Error('no such name'),
    });
  });
});
