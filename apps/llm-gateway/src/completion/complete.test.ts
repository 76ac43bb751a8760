import { describe, expect, it } from '@jest/globals';
import { AddressSchema, cancelled, ServiceError } from '@witan/contracts';
import { create } from '@bufbuild/protobuf';
import { commitAnswer } from '@witan/proof';
import { createFakeProvider } from '../../test/fake-provider.ts';
import type { FakeProviderOptions } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import {
  answerOf,
  chatFrame,
  streamCutError,
  DONE,
  failing,
  streamOf,
  yieldThenFail,
  timedOut,
  unreachable,
} from '../../test/provider-answers.ts';
import { findEvent } from '../../test/read-as-client.ts';
import { wireRequest } from '../../test/requests.ts';
import type { LedgerClient } from '@witan/contracts';

const PLAIN_RESPONSE = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});
const CHUNK = chatFrame({ choices: [{ index: 0, delta: { content: 'hi' } }] });
const HI_HASH = commitAnswer([{ index: 0, content: 'hi', toolCalls: [] }]);
const EMPTY_HASH = commitAnswer([]);
const STREAMED = wireRequest('chat-completions', { stream: true });

const open = (reply: FakeProviderOptions['reply'], ledger: Partial<LedgerClient> = {}) => {
  const provider = createFakeProvider({ reply });
  return { provider, ...openCompletions({ providers: [provider], ledger }) };
};
const ledgerDown = (): ServiceError => new ServiceError('LEDGER_UNAVAILABLE', 'down');

describe('a completion', () => {
  it('is reserved, sent, certified and only then answered', async () => {
    const { log, read, certified } = open(() => answerOf([PLAIN_RESPONSE]));
    await read();
    expect(log).toEqual([
      'reserve ws_a pf_1 25000',
      'send openai',
      'append pf_1 stop',
      'opened',
      'wire',
      'completed',
    ]);
    expect(certified[0]).toMatchObject({
      answer: {
        sha256: HI_HASH,
        usage: { promptTokens: 3, completionTokens: 1, totalTokens: 4, estimated: false },
      },
      routing: { taskType: 'chat', reason: 'alias' },
    });
  });

  it('names its provider, model and certificate', async () => {
    const { read } = open(() => answerOf([PLAIN_RESPONSE]));
    const { events } = await read();
    expect(findEvent(events, 'opened')).toMatchObject({
      provider: 'openai',
      model: 'openai-model',
      status: 200,
      streamed: false,
      proofId: 'pf_1',
      neutral: false,
      droppedParams: [],
    });
    expect(findEvent(events, 'completed')).toMatchObject({ proofId: 'pf_1', finishReason: 'stop' });
  });

  it('is streamed as it arrives, except its end, which waits for the certificate', async () => {
    const { log, read } = open(() => streamOf([CHUNK, CHUNK, DONE]));
    const { events } = await read(STREAMED);
    expect(log.slice(2)).toEqual([
      'opened',
      'wire',
      'wire',
      'append pf_1 stop',
      'wire',
      'completed',
    ]);
    expect(findEvent(events, 'opened').streamed).toBe(true);
  });

  it('forwards the client’s headers and query', async () => {
    const { read, provider } = open(undefined);
    const wire = { headers: { 'openai-beta': 'x=1' }, query: 'beta=true' };
    await read(wireRequest('chat-completions', {}, { wire }));
    expect(provider.calls[0]).toMatchObject(wire);
    expect(provider.lastBody()).toMatchObject({ model: 'openai-model' });
  });

  it('is not sent when its intent cannot be written', async () => {
    const { log, read } = open(undefined, { reserve: async () => failing(ledgerDown)() });
    expect((await read()).failure).toBe('LEDGER_UNAVAILABLE');
    // The outcome of the reserve is unknown, so the reservation is released in the background.
    expect(log).toEqual(['reserve ws_a pf_1 25000', 'release pf_1']);
  });

  it('leaves no certificate when nothing was sent', async () => {
    const { log, read } = open(failing(unreachable));
    expect((await read()).failure).toBe('PROVIDER_UNREACHABLE');
    expect(log).toEqual(['reserve ws_a pf_1 25000', 'send openai', 'release pf_1']);
  });

  it('reports the provider failure even when the ledger cannot release', async () => {
    const { read } = open(failing(unreachable), { release: async () => failing(ledgerDown)() });
    expect((await read()).failure).toBe('PROVIDER_UNREACHABLE');
  });

  it.each([
    ['cut before its headers', streamCutError, 'PROVIDER_STREAM_CUT'],
    ['too slow', timedOut, 'PROVIDER_TIMEOUT'],
    ['broken inside the gateway', () => new TypeError('bug'), 'INTERNAL'],
  ] as const)('is certified as failed when the call was %s', async (_name, failure, reason) => {
    const { read, certified } = open(failing(failure));
    expect((await read()).failure).toBe(`${reason} pf_1`);
    expect(certified.map(({ answer }) => answer)).toMatchObject([
      { finishReason: 'error', sha256: EMPTY_HASH },
    ]);
  });

  it('is certified with the delivered part when a stream lacks its terminal event', async () => {
    const { read, certified } = open(() => streamOf([CHUNK]));
    expect((await read(STREAMED)).failure).toBe('PROVIDER_STREAM_CUT pf_1');
    expect(certified[0]!.answer).toMatchObject({ finishReason: 'error', sha256: HI_HASH });
  });

  it('is certified as aborted, with the delivered part, when the client disconnects', async () => {
    const { read, certified, client } = open(({ signal }) =>
      streamOf(
        (async function* parts() {
          yield CHUNK;
          client.abort(cancelled());
          signal.throwIfAborted();
        })(),
      ),
    );
    expect((await read(STREAMED)).failure).toBe('CANCELLED pf_1');
    expect(certified[0]!.answer).toMatchObject({ finishReason: 'aborted', sha256: HI_HASH });
  });

  it('is certified as aborted when the client disconnects before the response', async () => {
    const { read, certified, client } = open(({ signal }) => {
      client.abort(cancelled());
      throw signal.reason;
    });
    expect((await read()).failure).toBe('CANCELLED pf_1');
    expect(certified[0]!.answer).toMatchObject({ finishReason: 'aborted', sha256: EMPTY_HASH });
  });

  it('is not charged when the client disconnects before the connection is open', async () => {
    const { read, log, client } = open(() => {
      client.abort(cancelled());
      throw new ServiceError('CANCELLED', 'left', { fields: { unsent: 'true' } });
    });
    expect((await read()).failure).toBe('CANCELLED');
    expect(log.at(-1)).toBe('release pf_1');
  });

  it('is neither sent nor certified when the client has disconnected', async () => {
    const { read, log, client } = open(undefined, {
      reserve: async () => {
        client.abort(cancelled());
        return undefined;
      },
    });
    expect((await read()).failure).toBe('CANCELLED');
    expect(log).toEqual(['reserve ws_a pf_1 25000', 'release pf_1']);
  });

  it('withholds its end when it cannot be certified', async () => {
    const { read } = open(() => streamOf([CHUNK, DONE]), {
      append: async () => {
        throw new ServiceError('CONFLICT', 'no such reservation');
      },
    });
    const { events, failure } = await read(STREAMED);
    expect(failure).toBe('CONFLICT');
    expect(events.map(({ event }) => event?.case)).toEqual(['opened', 'wire']);
  });

  it('is rejected without an address or a body', async () => {
    const { read, log } = open(undefined);
    const noBody = wireRequest('chat-completions', {}, { input: { case: undefined } });
    const noAddress = wireRequest('chat-completions', {}, { address: undefined });
    for (const request of [noBody, noAddress]) {
      expect((await read(request)).failure).toBe('INVALID_REQUEST');
    }
    expect(log).toEqual([]);
  });

  it('is refused when it must stay on the machine and no local runtime exists', async () => {
    const { read, log } = open(undefined);
    const address = create(AddressSchema, { kind: 'service-sensitive' });
    const { failure } = await read(wireRequest('chat-completions', {}, { address }));
    expect(failure).toBe('LOCAL_RUNTIME_UNAVAILABLE');
    expect(log).toEqual([]);
  });
});

describe('a refusal of the only provider', () => {
  it.each([
    ['400', 400, '{"error":{"message":"no"}}', 'opened wire completed'],
    ['429', 429, '{"error":{"message":"slow down"}}', 'opened wire completed'],
    ['500', 500, '{"error":{"message":"broken"}}', 'opened wire completed'],
    ['401, which is about our key', 401, '{"error":{}}', 'PROVIDER_CREDENTIALS_REFUSED pf_1'],
    ['403, which is about our key', 403, '{"error":{}}', 'PROVIDER_CREDENTIALS_REFUSED pf_1'],
    ['an HTML 502', 502, '<html>', 'PROVIDER_INVALID_ANSWER pf_1'],
    ['a redirect', 302, '{}', 'PROVIDER_INVALID_ANSWER pf_1'],
    [
      'an error of several megabytes',
      500,
      `{"a":"${'a'.repeat(1e6)}`,
      'PROVIDER_INVALID_ANSWER pf_1',
    ],
  ])('is relayed or replaced: %s', async (_name, status, body, expected) => {
    const { read, certified } = open(() => answerOf([body, ' '.repeat(50_000)], { status }));
    const { events, failure } = await read();
    expect(failure || events.map(({ event }) => event?.case).join(' ')).toBe(expected);
    expect(certified.map(({ answer }) => answer)).toMatchObject([
      { finishReason: 'error', sha256: EMPTY_HASH },
    ]);
  });

  it('is relayed with its status, retry advice and every byte', async () => {
    const body = '{"error": {"message":"slow  down","future":[1.0]}}';
    const headers = { 'retry-after': '7', 'x-request-id': 'up_1', 'set-cookie': 'a=b' };
    const { read } = open(() => answerOf([body], { status: 429, headers }));
    const { events } = await read();
    expect(findEvent(events, 'opened')).toMatchObject({
      status: 429,
      headers: { 'retry-after': '7', 'x-upstream-request-id': 'up_1' },
    });
    expect(findEvent(events, 'opened').headers).not.toHaveProperty('set-cookie');
    expect(Buffer.from(findEvent(events, 'wire')).toString()).toBe(body);
  });
});

describe('an answer of the only provider', () => {
  it.each([
    ['an HTML page', '<html></html>'],
    ['truncated JSON', PLAIN_RESPONSE.slice(0, 30)],
    ['a list', '[]'],
  ])('is rejected when it is %s', async (_name, body) => {
    const { read, certified } = open(() => answerOf([body]));
    expect((await read()).failure).toBe('PROVIDER_INVALID_ANSWER pf_1');
    expect(certified[0]!.answer.finishReason).toBe('error');
  });

  it('is certified as an error when it contains no choices', async () => {
    const { read, certified } = open(() => answerOf(['{"error":{"message":"in disguise"}}']));
    expect((await read()).failure).toBe('');
    expect(certified[0]!.answer).toMatchObject({ finishReason: 'error', sha256: EMPTY_HASH });
  });

  it('is relayed with its status when it is an error that names one', async () => {
    const { read, certified } = open(() => answerOf(['{"error":{"code":429,"message":"Slow."}}']));
    const { events, failure } = await read();
    expect([failure, findEvent(events, 'opened').status]).toEqual(['', 429]);
    expect(certified[0]!.answer).toMatchObject({ finishReason: 'error', sha256: EMPTY_HASH });
  });

  it.each([
    ['a plain answer', answerOf([PLAIN_RESPONSE.replace(/,"usage".*/, '}')])],
    ['a stream', streamOf([CHUNK, DONE])],
    [
      'implausible counts',
      answerOf([PLAIN_RESPONSE.replace('"prompt_tokens":3', '"prompt_tokens":5000000000')]),
    ],
  ])('has estimated usage when the provider reports none: %s', async (_n, answer) => {
    const { read, certified } = open(() => answer);
    await read();
    const { estimated, promptTokens, completionTokens, totalTokens } = certified[0]!.answer.usage;
    expect(estimated).toBe(true);
    expect(promptTokens).toBeGreaterThan(0);
    expect(totalTokens).toBe(promptTokens + completionTokens);
  });

  it('keeps the reported counts of cached and reasoning tokens', async () => {
    const usage = {
      prompt_tokens: 30,
      completion_tokens: 9,
      total_tokens: 39,
      prompt_tokens_details: { cached_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 0 },
    };
    const { read } = open(() =>
      answerOf([PLAIN_RESPONSE.replace(/"usage".*/, `"usage":${JSON.stringify(usage)}}`)]),
    );
    const { events } = await read();
    const reported = findEvent(events, 'completed').usage;
    expect(reported).toMatchObject({ promptTokens: 30, cachedTokens: 20, reasoningTokens: 0 });
    expect(reported).not.toHaveProperty('cacheWriteTokens');
  });

  it('is certified with the delivered part when its stream is cut', async () => {
    const { read, certified } = open(() => streamOf(yieldThenFail([CHUNK, CHUNK], streamCutError)));
    expect((await read(STREAMED)).failure).toBe('PROVIDER_STREAM_CUT pf_1');
    expect(certified[0]!.answer.sha256).toBe(
      commitAnswer([{ index: 0, content: 'hihi', toolCalls: [] }]),
    );
  });
});
