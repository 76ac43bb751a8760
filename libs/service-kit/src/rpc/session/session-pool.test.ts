import { credentials, ServerCredentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { ModelService } from '@witan/contracts/services';
import { createTestCertificate } from '@witan/testing/create-test-certificate';
import { implementCompletions } from '../../../test/implement-completions.ts';
import { CALL, openCallee } from '../../../test/open-callee.ts';
import type { Callee } from '../../../test/open-callee.ts';
import { openCaller } from '../../../test/open-caller.ts';
import type { Caller } from '../../../test/open-caller.ts';
import { reasonOf } from '../../../test/reason-of.ts';
import { implement } from '../service.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

type Named = Callee & {
  /** Lets its streams end. */
  letGo: () => void;
  /** Why its last stream was aborted. */
  aborted: Promise<unknown>;
};

/** Answers its name; its streams say two things, the second when they are let go. */
const open = async (name: string, options?: Parameters<typeof openCallee>[1]): Promise<Named> => {
  const gate = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<unknown>();
  const say = (text: string) => ({ event: { case: 'wire' as const, value: Buffer.from(text) } });
  const callee = await openCallee(
    [
      implement(ModelService, { listModels: async () => ({ models: [{ id: name }] }) }),
      implementCompletions({
        async *complete(_request, { signal }) {
          signal.addEventListener('abort', () => aborted.resolve(signal.reason));
          yield say('first');
          await Promise.race([gate.promise, aborted.promise]);
          yield say('last');
        },
      }),
    ],
    options,
  );
  closers.push(() => callee.stop(0));
  return { ...callee, letGo: gate.resolve, aborted: aborted.promise };
};

const connect = (...[callee, options]: Parameters<typeof openCaller>): Caller => {
  const caller = openCaller(callee, options);
  closers.push(caller.transport.close);
  return caller;
};

/** Replicas of one service; the list may change. */
const replicasOf = (...callees: Callee[]) => {
  const replicaAddresses = callees.map(({ address }) => ({ target: address }));
  return { replicaAddresses, findReplicas: async () => [...replicaAddresses] };
};

/** Asks until `name` answers. */
const askUntil = async ({ ask }: Caller, name: string): Promise<void> => {
  while ((await ask()) !== name);
};

const askTimes = async ({ ask }: Caller, times: number): Promise<string[]> => {
  const names: string[] = [];
  for (let n = 0; n < times; n += 1) names.push(await ask());
  return names.toSorted();
};

/** Longer than a test may take: nothing is broken off. */
const NEVER_MS = 300_000;

describe('the replicas of a service', () => {
  it('share the calls in turn', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const caller = connect(a, replicasOf(a, b));
    await askUntil(caller, 'a');
    await askUntil(caller, 'b');
    expect(await askTimes(caller, 6)).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
  });

  it('get no more calls when they wind up, finish what runs, and are left', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const replicaAddresses = replicasOf(a);
    const caller = connect(a, { ...replicaAddresses, renewMs: 20 });
    const finish = await caller.begin();
    replicaAddresses.replicaAddresses.push({ target: b.address });
    await askUntil(caller, 'b');
    const stopped = Promise.all([a.dispatcher.drain(NEVER_MS), a.stop(NEVER_MS)]);
    let inRow = 0;
    while (inRow < 5) inRow = (await caller.ask()) === 'b' ? inRow + 1 : 0;
    a.letGo();
    expect(await finish()).toBe(2);
    // Resolves when the caller has ended the session.
    await stopped;
  });

  it('are followed when they move; what runs at the old place ends there', async () => {
    const [a, b] = [await open('a'), await open('b')];
    const { replicaAddresses, findReplicas } = replicasOf(a);
    const caller = connect(a, { findReplicas, renewMs: 20 });
    const finish = await caller.begin();
    replicaAddresses.splice(0, 1, { target: b.address });
    await askUntil(caller, 'b');
    expect(await askTimes(caller, 5)).toEqual(Array(5).fill('b'));
    a.letGo();
    expect(await finish()).toBe(2);
  });

  it('keep their sessions while the name server fails', async () => {
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
    await caller.ask();
    await failed.promise;
    expect(await caller.ask()).toBe('a');
  });

  it('are reached by address and known by name', async () => {
    const { cert, key } = createTestCertificate(['localhost']);
    const [chain, secret] = [Buffer.from(cert), Buffer.from(key)];
    const tls = ServerCredentials.createSsl(null, [{ cert_chain: chain, private_key: secret }]);
    const a = await open('a', { credentials: tls });
    const address = `dns:///localhost:${a.port}`;
    const caller = connect({ ...a, address }, { credentials: credentials.createSsl(chain) });
    expect(await caller.ask()).toBe('a');
  });
});

describe('a session', () => {
  it('is renewed; a call that runs is not disturbed', async () => {
    const renewed = Promise.withResolvers<void>();
    const onVerified = (count: number): void => {
      if (count === 5) renewed.resolve();
    };
    const a = await open('a', { onVerified });
    const caller = connect(a, { renewMs: 20 });
    const finish = await caller.begin();
    await renewed.promise;
    expect(await caller.ask()).toBe('a');
    a.letGo();
    expect(await finish()).toBe(2);
  });

  it('fails its calls when the service dies, and is opened again when it is back', async () => {
    const a = await open('a');
    const caller = connect(a);
    const finish = await caller.begin();
    await a.stop(0);
    expect(await reasonOf(finish())).toBe('UNAVAILABLE');
    await expect(a.aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
    await open('again', { port: a.port });
    expect(await caller.ask()).toBe('again');
  });

  it('breaks when its transport is closed, on both sides', async () => {
    const a = await open('a');
    const caller = connect(a);
    const finish = await caller.begin();
    await caller.transport.close();
    expect(await reasonOf(finish())).toBe('UNAVAILABLE');
    await expect(a.aborted).resolves.toMatchObject({ reason: 'CANCELLED' });
    expect(await reasonOf(caller.ask())).toBe('UNAVAILABLE');
  });

  it('is refused to a caller that cannot prove who it is', async () => {
    const a = await open('a');
    const caller = connect({ ...a, token: () => 'forged' });
    expect(await reasonOf(caller.ask())).toBe('CALLER_REFUSED');
  });
});

describe('a call that finds no session', () => {
  /** A place where nobody answers. */
  const openNowhere = async (): Promise<Callee> => {
    const callee = await open('nobody');
    await callee.stop(0);
    return callee;
  };

  it('waits for a service that is about to start', async () => {
    const nowhere = await openNowhere();
    const answer = connect(nowhere).ask();
    await open('started', { port: nowhere.port });
    expect(await answer).toBe('started');
  });

  it('fails with UNAVAILABLE before its own time is over', async () => {
    const { ask, transport } = connect(await openNowhere());
    expect(await Promise.all([reasonOf(ask()), reasonOf(transport.ready(10))])).toEqual([
      'UNAVAILABLE',
      'UNAVAILABLE',
    ]);
  });

  it('fails with DEADLINE_EXCEEDED when its time is over', async () => {
    const { ask } = connect(await openNowhere());
    expect(await reasonOf(ask(20))).toBe('DEADLINE_EXCEEDED');
  });

  it('ends when its caller leaves', async () => {
    const { ask } = connect(await openNowhere());
    const controller = new AbortController();
    const answer = reasonOf(ask(CALL.timeoutMs, controller.signal));
    controller.abort();
    expect(await answer).toBe('CANCELLED');
  });

  it('says so when the name of the service is unknown', async () => {
    const nowhere = await openNowhere();
    const findReplicas = async () => {
      throw new Error('no such name');
    };
    const answer = connect(nowhere, { findReplicas }).ask();
    await expect(answer).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
      cause: new Error('no such name'),
    });
  });
});
