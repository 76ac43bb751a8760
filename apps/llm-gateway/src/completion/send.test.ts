import { describe, expect, it } from '@jest/globals';
import { cancelled, ServiceError } from '@witan/contracts';
import { createFakeProvider } from '../../test/fake-provider.ts';
import type { FakeProviderOptions } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import {
  answerOf,
  streamCutError,
  failing,
  refusalOf,
  streamOf,
  timedOut,
  unreachable,
} from '../../test/provider-answers.ts';
import { findEvent } from '../../test/read-as-client.ts';
import { wireRequest } from '../../test/requests.ts';
import type { CircuitBreaker } from '../provider/circuit-breaker.ts';
import type { LedgerClient } from '@witan/contracts';

type Reply = FakeProviderOptions['reply'];

const failTimes = (breaker: CircuitBreaker, times: number): void => {
  for (let call = 0; call < times; call += 1) breaker.admit()!('failed');
};

type SetupOptions = { hasSecond?: boolean; ledger?: Partial<LedgerClient> };

const open = (reply: Reply, { hasSecond = false, ledger = {} }: SetupOptions = {}) => {
  const providers = [
    createFakeProvider({ name: 'a', reply }),
    ...(hasSecond ? [createFakeProvider({ name: 'b' })] : []),
  ];
  const completions = openCompletions({ providers, ledger });
  return { ...completions, breaker: completions.access.get('a')!.breaker };
};

describe('an open circuit breaker', () => {
  it('rejects a call before anything is written or sent', async () => {
    const { breaker, read, log, attempts } = open(undefined);
    failTimes(breaker, 20);
    expect((await read()).failure).toBe('PROVIDER_UNREACHABLE');
    expect(log).toEqual([]);
    expect(attempts).toEqual([]);
  });

  it('sends a call to the next target at once', async () => {
    const { breaker, read, log } = open(undefined, { hasSecond: true });
    failTimes(breaker, 20);
    const { events } = await read();
    expect(findEvent(events, 'opened')).toMatchObject({ provider: 'b', proofId: 'pf_1' });
    expect(log.slice(0, 2)).toEqual(['reserve ws_a pf_1 25000', 'send b']);
  });

  it('closes after the first successful call after its cool-down', async () => {
    const { breaker, read, clock } = open(undefined);
    failTimes(breaker, 20);
    clock.now = 10_000;
    expect((await read()).failure).toBe('');
    expect(breaker.state).toBe('closed');
  });

  it('is not probed by a request that the dialect cannot express', async () => {
    const provider = createFakeProvider({ name: 'a', dialect: 'messages' });
    const { read, access, clock } = openCompletions({ providers: [provider] });
    const { breaker } = access.get('a')!;
    failTimes(breaker, 20);
    clock.now = 10_000;
    expect((await read(wireRequest('chat-completions', { n: 2 }))).failure).toBe('INVALID_REQUEST');
    expect(breaker.admit()).toBeDefined();
  });
});

const ledgerDown = async (): Promise<never> => {
  throw new ServiceError('LEDGER_UNAVAILABLE', 'down');
};

describe('the outcome that an attempt reports to the circuit breaker', () => {
  const outcomeAfterCall = async (
    reply: Reply,
    ledger: Partial<LedgerClient> = {},
  ): Promise<string> => {
    const { breaker, read } = open(reply, { ledger });
    const isOpen = (): boolean => breaker.state === 'open';
    failTimes(breaker, 19);
    await read();
    if (isOpen()) return 'failed';
    failTimes(breaker, 1);
    return isOpen() ? 'nothing' : 'answered';
  };

  it.each([
    ['an answer', undefined, 'answered'],
    ['a stream that is cut later', () => streamOf([]), 'answered'],
    ['a refusal', () => refusalOf(400), 'answered'],
    ['a provider that is overloaded', () => refusalOf(529), 'answered'],
    ['an HTML 502', () => answerOf(['<html>'], { status: 502 }), 'answered'],
    ['a provider that cannot be reached', failing(unreachable), 'failed'],
    ['a provider that is too slow', failing(timedOut), 'failed'],
    ['a connection that is cut', failing(streamCutError), 'nothing'],
    ['an internal error', failing(() => new TypeError('bug')), 'nothing'],
  ] as const)('is correct for %s', async (_name, reply, expected) => {
    expect(await outcomeAfterCall(reply)).toBe(expected);
  });

  it('is absent for a call that could not be reserved', async () => {
    expect(await outcomeAfterCall(undefined, { reserve: ledgerDown })).toBe('nothing');
  });

  it.each([
    ['while the call is sent', failing(cancelled)],
    ['and its connection is cut', failing(streamCutError)],
  ])('is absent for a client that disconnects %s', async (_name, reply) => {
    const { breaker, read, client } = open((call) => {
      client.abort(cancelled());
      return reply(call);
    });
    failTimes(breaker, 19);
    await read();
    expect(breaker.state).toBe('closed');
    failTimes(breaker, 1);
    expect(breaker.state).toBe('open');
  });

  it('is absent for a probe whose client disconnects, so the next call may probe', async () => {
    const { breaker, read, client, clock } = open(failing(cancelled));
    failTimes(breaker, 20);
    clock.now = 10_000;
    client.abort(cancelled());
    await read();
    expect(breaker.state).toBe('half-open');
    expect(breaker.admit()).toBeDefined();
  });
});

describe('the routing record', () => {
  it.each([
    ['an answer', undefined, 'answered', 200],
    ['a refusal', () => refusalOf(429), 'refused', 429],
    ['a timeout', failing(timedOut), 'PROVIDER_TIMEOUT', 0],
    ['an internal error', failing(() => new TypeError('bug')), 'INTERNAL', 0],
  ] as const)('contains %s', async (_name, reply, outcome, status) => {
    const { read, attempts } = open(reply);
    await read();
    expect(attempts).toMatchObject([
      { proofId: 'pf_1', provider: 'a', model: 'a-model', attempt: 1, outcome, status },
    ]);
    expect(attempts[0]!.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('contains no call that was not sent', async () => {
    const { read, attempts } = open(undefined, { ledger: { reserve: ledgerDown } });
    await read();
    expect(attempts).toEqual([]);
  });
});

describe('the record of an attempt', () => {
  it("says whether the provider is the workspace's own", async () => {
    const own = createFakeProvider({ name: 'a' });
    const operators = { ...createFakeProvider({ name: 'a' }), redactError: (text: string) => text };
    for (const provider of [own, operators]) {
      const { read, attempts } = openCompletions({ providers: [provider] });
      await read();
      expect(attempts).toMatchObject([{ provider: 'a', isOwn: provider === own }]);
    }
  });
});
