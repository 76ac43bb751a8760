import { describe, expect, it } from '@jest/globals';
import { commitAnswer } from '@witan/proof';
import { createFakeProvider } from '../../test/fake-provider.ts';
import { openCrossDialect, openCompletions } from '../../test/open-completions.ts';
import {
  answerOf,
  chatFrame,
  chatFrames,
  streamCutError,
  DONE,
  messageFrame,
  messageFrames,
  refusalOf,
  streamOf,
  yieldThenFail,
} from '../../test/provider-answers.ts';
import { findEvent, kindsOf } from '../../test/read-as-client.ts';
import { wireRequest } from '../../test/requests.ts';

describe('a request that the provider’s dialect cannot express', () => {
  it.each([
    ['chat-completions', { n: 2 }, 'n'],
    ['messages', { mcp_servers: [{ type: 'url', url: 'https://x.example' }] }, 'mcp_servers'],
  ] as const)(
    'of the %s dialect is refused before anything is written',
    async (dialect, body, param) => {
      const { run, log } = openCrossDialect(dialect, undefined);
      const call = run(wireRequest(dialect, body)).next();
      const fields = { param, code: 'unsupported_parameter' };
      await expect(call).rejects.toMatchObject({ reason: 'INVALID_REQUEST', fields });
      expect(log).toEqual([]);
    },
  );

  it('is skipped as a fallback, and the earlier failure is thrown', async () => {
    const providers = [
      createFakeProvider({ name: 'a', reply: () => refusalOf(503) }),
      createFakeProvider({ name: 'b', dialect: 'messages' }),
    ];
    const { read, certified } = openCompletions({ providers });
    expect((await read(wireRequest('chat-completions', { n: 2 }))).failure).toBe(
      'PROVIDER_UNREACHABLE pf_1',
    );
    expect(certified.map(({ proofId }) => proofId)).toEqual(['pf_1']);
  });
});

describe('a refusal in another dialect', () => {
  it('is relayed in the neutral form with its status', async () => {
    const headers = { 'retry-after': '3', 'request-id': 'req_up' };
    const { ask, certified } = openCrossDialect('messages', () =>
      refusalOf(429, 'chat-completions', headers),
    );
    const outcome = await ask({ stream: true });
    expect(kindsOf(outcome.events)).toBe('opened refused completed');
    expect(findEvent(outcome.events, 'opened')).toMatchObject({
      status: 429,
      neutral: true,
      streamed: false,
      headers: { 'retry-after': '3', 'x-upstream-request-id': 'req_up' },
    });
    expect(findEvent(outcome.events, 'refused')).toEqual({
      message: 'No.',
      code: 'no_way',
      param: 'top_k',
    });
    expect(certified[0]!.answer).toMatchObject({ finishReason: 'error', sha256: commitAnswer([]) });
  });

  it('is relayed with the status 529', async () => {
    const { ask } = openCrossDialect('chat-completions', () => refusalOf(529, 'messages'));
    const { events } = await ask();
    expect(findEvent(events, 'opened').status).toBe(529);
    expect(findEvent(events, 'refused').message).toBe('No.');
  });

  it.each([
    [
      'an error with status 200',
      '{"type":"error","error":{"type":"api_error"}}',
      'chat-completions',
    ],
    ['an error with status 200', '{"error":{"message":"x"}}', 'messages'],
    ['an answer without choices', '{"choices":[]}', 'messages'],
  ] as const)('is not accepted as an answer: %s', async (_name, body, client) => {
    const { ask, certified } = openCrossDialect(client, () => answerOf([body]));
    const { events, failure } = await ask();
    expect(failure).toBe('PROVIDER_INVALID_ANSWER pf_1');
    expect(events).toEqual([]);
    expect(certified[0]!.answer.finishReason).toBe('error');
  });
});

describe('a stream in another dialect that breaks off', () => {
  const [START = '', PING = '', OPEN = '', PO = ''] = messageFrames();
  const ERROR = messageFrame({ type: 'error' });

  it.each([
    ['with an error', () => streamOf([START, PING, OPEN, PO, ERROR])],
    ['without its terminal event', () => streamOf([START, PING, OPEN, PO])],
    [
      'because the connection closed',
      () => streamOf(yieldThenFail([START, PING, OPEN, PO], streamCutError)),
    ],
  ])('%s is certified with the delivered part', async (_name, reply) => {
    const { ask, certified } = openCrossDialect('chat-completions', reply);
    const outcome = await ask({ stream: true });
    expect(outcome.failure).toBe('PROVIDER_STREAM_CUT pf_1');
    expect(kindsOf(outcome.events)).toBe('opened part');
    expect(certified[0]!.answer).toMatchObject({
      finishReason: 'error',
      sha256: commitAnswer([{ index: 0, content: 'po', toolCalls: [] }]),
    });
  });

  it.each([
    ['with an error', 'chat-completions', [START, PING, ERROR]],
    ['without its terminal event', 'chat-completions', [START, PING, OPEN]],
    ['with an error', 'messages', [chatFrames()[0]!, chatFrame({ error: { message: 'x' } })]],
    ['with only its terminal event', 'messages', [DONE]],
  ] as const)('%s before content emits no event', async (_name, client, frames) => {
    const { ask, certified } = openCrossDialect(client, () => streamOf(frames));
    const { events, failure } = await ask({ stream: true });
    expect(failure).toBe('PROVIDER_STREAM_CUT pf_1');
    expect(events).toEqual([]);
    expect(certified[0]!.answer.finishReason).toBe('error');
  });
});
