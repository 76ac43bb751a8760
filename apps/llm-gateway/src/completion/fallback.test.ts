import { describe, expect, it } from '@jest/globals';
import { cancelled, ServiceError } from '@witan/contracts';
import { commitAnswer } from '@witan/proof';
import { createFakeProvider } from '../../test/fake-provider.ts';
import type { FakeProviderOptions } from '../../test/fake-provider.ts';
import { openChain, openCompletions } from '../../test/open-completions.ts';
import type { Outcome, TestCompletions } from '../../test/open-completions.ts';
import {
  answerOf,
  chatFrame,
  chatFrames,
  streamCutError,
  failing,
  messageFrames,
  refusalOf,
  streamOf,
  yieldThenFail,
  timedOut,
  unreachable,
} from '../../test/provider-answers.ts';
import { findEvent, wireText } from '../../test/read-as-client.ts';
import { makeAddress, wireRequest } from '../../test/requests.ts';
import { parseTarget } from '../../test/route-settings.ts';
import type { ProviderAnswer } from '../provider/provider.ts';

type Reply = FakeProviderOptions['reply'];

const STREAMED = wireRequest('chat-completions', { stream: true });
const [ROLE = '', PO = ''] = chatFrames();
const ERROR_FRAME = chatFrame({ error: { message: 'overloaded' } });
const EMPTY_HASH = commitAnswer([]);

const certificates = ({ certified }: TestCompletions): string[] =>
  certified.map(({ proofId, egress, answer, routing }) =>
    [proofId, egress.provider, answer.finishReason, routing.reason].join(' '),
  );
const readSentRequests = ({ log }: TestCompletions): string =>
  log.filter((line) => line.startsWith('send')).join(', ');
const answeredBy = ({ events }: Outcome): string => {
  const { provider, model, status, proofId } = findEvent(events, 'opened');
  return `${provider} ${model} ${status} ${proofId}`;
};

/**
 * Failures after which the next target is tried, and whether the failed attempt is certified or its
 * reservation released.
 */
const FAILURES: readonly (readonly [string, Reply, 'certified' | 'released'])[] = [
  ['is unreachable', failing(unreachable), 'released'],
  ['times out', failing(timedOut), 'certified'],
  ['cuts the call before its headers', failing(streamCutError), 'certified'],
  [
    'cuts a plain answer',
    () => answerOf(yieldThenFail(['{"choices":'], streamCutError)),
    'certified',
  ],
  ['cuts a stream before its first frame', () => streamOf([]), 'certified'],
  ['cuts a stream before its first content', () => streamOf([ROLE, ROLE]), 'certified'],
  ['stalls before its first content', () => streamOf(yieldThenFail([ROLE], timedOut)), 'certified'],
  ['ends a stream in an error at once', () => streamOf([ERROR_FRAME]), 'certified'],
  ['ends a stream in an error before content', () => streamOf([ROLE, ERROR_FRAME]), 'certified'],
  ['responds with 429', () => refusalOf(429), 'certified'],
  ['responds with 500', () => refusalOf(500), 'certified'],
  ['responds with 503', () => refusalOf(503), 'certified'],
  ['responds with 529', () => refusalOf(529), 'certified'],
  ['responds with an HTML 502', () => answerOf(['<html>'], { status: 502 }), 'certified'],
  [
    'responds with 500 and cuts the body',
    () => ({ ...refusalOf(500), body: answerOf(yieldThenFail(['{'], streamCutError)).body }),
    'certified',
  ],
];

describe('a fallback is tried', () => {
  it.each(FAILURES)('when a target %s', async (_name, reply, trace) => {
    const chain = openChain(reply, undefined);
    const outcome = await chain.read(STREAMED);
    expect(outcome.failure).toBe('');
    expect(readSentRequests(chain)).toBe('send a, send b');
    expect(answeredBy(outcome)).toBe('b b-model 200 pf_1f1');
    expect(findEvent(outcome.events, 'completed').proofId).toBe('pf_1f1');
    expect(wireText(outcome.events)).toBe(chatFrames({}, false).join(''));
    const failed = trace === 'certified' ? ['pf_1 a error alias'] : [];
    expect(certificates(chain)).toEqual([...failed, 'pf_1f1 b stop fallback']);
    expect(chain.log.includes('release pf_1')).toBe(trace === 'released');
  });

  it('in order, each once, until one succeeds', async () => {
    const chain = openChain(() => refusalOf(500), failing(timedOut), undefined);
    expect(answeredBy(await chain.read())).toBe('c c-model 200 pf_1f2');
    expect(readSentRequests(chain)).toBe('send a, send b, send c');
    expect(chain.log.slice(0, -3)).toEqual([
      'reserve ws_a pf_1 25000',
      'send a',
      'append pf_1 error',
      'reserve ws_a pf_1f1 25000',
      'send b',
      'append pf_1f1 error',
      'reserve ws_a pf_1f2 25000',
      'send c',
      'append pf_1f2 stop',
    ]);
    expect(certificates(chain)).toEqual([
      'pf_1 a error alias',
      'pf_1f1 b error fallback',
      'pf_1f2 c stop fallback',
    ]);
  });

  it('with a body that names its own model', async () => {
    const providers = [
      createFakeProvider({ name: 'a', reply: failing(streamCutError) }),
      createFakeProvider({ name: 'b' }),
    ];
    const chain = openCompletions({ providers });
    await chain.read();
    expect(providers.map(({ lastBody }) => lastBody().model)).toEqual(['a-model', 'b-model']);
    const [first, second] = chain.certified.map(({ egress }) => egress);
    expect(first).toMatchObject({ provider: 'a', model: 'a-model', masked: 0 });
    expect(second).toMatchObject({ provider: 'b', model: 'b-model', masked: 0 });
    expect(first!.sha256).not.toBe(second!.sha256);
  });

  it.each([
    ['service-agent', 'forced'],
    ['service-auto', 'simple'],
  ])('for a call to %s', async (kind, reason) => {
    const chain = openChain(failing(streamCutError), undefined);
    await chain.read(wireRequest('chat-completions', {}, { address: makeAddress({ kind }) }));
    expect(certificates(chain)).toEqual([`pf_1 a error ${reason}`, 'pf_1f1 b stop fallback']);
  });

  it('in its own dialect, answering in the neutral form', async () => {
    const providers = [
      createFakeProvider({ name: 'a', reply: failing(streamCutError) }),
      createFakeProvider({ name: 'b', dialect: 'messages' }),
    ];
    const { events } = await openCompletions({ providers }).read();
    expect(findEvent(events, 'opened')).toMatchObject({ provider: 'b', neutral: true });
    expect(events.map(({ event }) => event?.case)).toEqual(['opened', 'part', 'completed']);
  });

  it('when a messages stream ends in an error before content', async () => {
    const [start = '', ping = ''] = messageFrames();
    const error = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n';
    const providers = [
      createFakeProvider({
        name: 'a',
        dialect: 'messages',
        reply: () => streamOf([start, ping, error]),
      }),
      createFakeProvider({ name: 'b', dialect: 'messages' }),
    ];
    const outcome = await openCompletions({ providers }).read(
      wireRequest('messages', { stream: true }),
    );
    expect(answeredBy(outcome)).toBe('b b-model 200 pf_1f1');
    expect(wireText(outcome.events)).toBe(messageFrames().join(''));
  });

  it('when a target is no longer configured', async () => {
    const providers = [createFakeProvider({ name: 'b' })];
    const settings = { aliases: new Map([['chain', ['gone/x', 'b/y'].map(parseTarget)]]) };
    const chain = openCompletions({ providers, settings });
    expect(answeredBy(await chain.read())).toBe('b y 200 pf_1');
    expect(certificates(chain)).toEqual(['pf_1 b stop fallback']);
  });
});

describe('no fallback is tried', () => {
  it.each([400, 404, 413, 422])(
    'when a target responds with %s, about the request',
    async (status) => {
      const chain = openChain(() => refusalOf(status), undefined);
      expect(answeredBy(await chain.read())).toBe(`a a-model ${status} pf_1`);
      expect(readSentRequests(chain)).toBe('send a');
      expect(certificates(chain)).toEqual(['pf_1 a error alias']);
    },
  );

  it.each([401, 403])('when a target responds with %s, about our credentials', async (status) => {
    const chain = openChain(() => refusalOf(status), undefined);
    expect((await chain.read()).failure).toBe('PROVIDER_CREDENTIALS_REFUSED pf_1');
    expect(readSentRequests(chain)).toBe('send a');
  });

  it.each([
    ['cuts its answer', (): ProviderAnswer => streamOf([ROLE, PO]), streamCutError().reason],
    ['stalls', () => streamOf(yieldThenFail([ROLE, PO], timedOut)), timedOut().reason],
  ])('when a target %s after content', async (_name, reply, reason) => {
    const chain = openChain(reply, undefined);
    const { events, failure } = await chain.read(STREAMED);
    expect(failure).toBe(`${reason} pf_1`);
    expect(wireText(events)).toBe(ROLE + PO);
    expect(readSentRequests(chain)).toBe('send a');
  });

  it('when a stream ends in an error after content: the error frame is relayed', async () => {
    const chain = openChain(() => streamOf([ROLE, PO, ERROR_FRAME]), undefined);
    const { events, failure } = await chain.read(STREAMED);
    expect(failure).toBe('');
    expect(wireText(events)).toBe(ROLE + PO + ERROR_FRAME);
    expect(certificates(chain)).toEqual(['pf_1 a error alias']);
  });

  it.each([
    ['while the provider is unreachable', failing(unreachable)],
    ['while the provider refuses', () => refusalOf(500)],
    ['while the provider cuts its answer', () => streamOf([ROLE])],
  ])('when the client disconnects %s', async (_name, reply) => {
    const chain = openChain((call) => {
      chain.client.abort(cancelled());
      return reply(call);
    }, undefined);
    await chain.read(STREAMED);
    expect(readSentRequests(chain)).toBe('send a');
    expect(chain.log.filter((line) => line.startsWith('reserve'))).toHaveLength(1);
    expect(chain.certified.every(({ answer }) => answer.finishReason === 'aborted')).toBe(true);
  });

  it('when the ledger is unreachable', async () => {
    const providers = [createFakeProvider({ name: 'a' }), createFakeProvider({ name: 'b' })];
    const reserve = async (): Promise<never> => {
      throw new ServiceError('LEDGER_UNAVAILABLE', 'down');
    };
    const chain = openCompletions({ providers, ledger: { reserve } });
    expect((await chain.read()).failure).toBe('LEDGER_UNAVAILABLE');
    expect(readSentRequests(chain)).toBe('');
  });

  it('after the last target, whose refusal is relayed', async () => {
    const chain = openChain(
      () => refusalOf(500),
      () => refusalOf(503, 'chat-completions', { 'retry-after': '9' }),
    );
    const outcome = await chain.read();
    expect(answeredBy(outcome)).toBe('b b-model 503 pf_1f1');
    expect(findEvent(outcome.events, 'opened').headers).toEqual({ 'retry-after': '9' });
    expect(certificates(chain)).toEqual(['pf_1 a error alias', 'pf_1f1 b error fallback']);
  });

  it('after the last target, whose failure is thrown', async () => {
    const chain = openChain(() => refusalOf(503), failing(timedOut));
    expect((await chain.read()).failure).toBe('PROVIDER_TIMEOUT pf_1f1');
  });

  it('after the last target, and an earlier rate limit takes precedence', async () => {
    const chain = openChain(() => refusalOf(429), failing(timedOut));
    expect((await chain.read()).failure).toBe('RATE_LIMITED pf_1');
  });

  it('after content, and an earlier rate limit does not replace the failure', async () => {
    const chain = openChain(
      () => refusalOf(429),
      () => streamOf([ROLE, PO]),
    );
    const { failure, events } = await chain.read(STREAMED);
    expect(failure).toBe('PROVIDER_STREAM_CUT pf_1f1');
    expect(findEvent(events, 'opened').proofId).toBe('pf_1f1');
  });

  it('after the last target, and the failure names the last certificate', async () => {
    const chain = openChain(() => refusalOf(503), failing(unreachable), failing(unreachable));
    expect((await chain.read()).failure).toBe('PROVIDER_UNREACHABLE pf_1');
    expect(certificates(chain)).toEqual(['pf_1 a error alias']);
  });
});

describe('a failed attempt', () => {
  it('has a certificate without content and with estimated tokens', async () => {
    const chain = openChain(
      () => streamOf([ROLE]),
      () => refusalOf(500),
      undefined,
    );
    await chain.read(STREAMED);
    const [cutAnswer, refusedAnswer] = chain.certified.map(({ answer }) => answer);
    expect(refusedAnswer).toMatchObject({ sha256: EMPTY_HASH, usage: { completionTokens: 0 } });
    // The buffered frames never reached the client, so the certificate commits to an empty answer.
    expect(cutAnswer).toMatchObject({
      sha256: EMPTY_HASH,
      usage: { estimated: true, completionTokens: 0 },
    });
  });

  it('is in the routing record', async () => {
    const chain = openChain(failing(unreachable), () => refusalOf(429), undefined);
    await chain.read();
    const shared = { workspaceId: 'ws_a', requestId: 'req_1' };
    expect(chain.attempts).toMatchObject([
      {
        ...shared,
        proofId: 'pf_1',
        provider: 'a',
        attempt: 1,
        outcome: 'PROVIDER_UNREACHABLE',
        status: 0,
      },
      { ...shared, proofId: 'pf_1f1', provider: 'b', attempt: 2, outcome: 'refused', status: 429 },
      { ...shared, proofId: 'pf_1f2', provider: 'c', attempt: 3, outcome: 'answered', status: 200 },
    ]);
    expect(chain.attempts.map(({ model }) => model)).toEqual(['a-model', 'b-model', 'c-model']);
  });
});
