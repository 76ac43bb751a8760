import { describe, expect, it } from '@jest/globals';
import { openChain } from '../../test/open-completions.ts';
import {
  answerOf,
  chatFrames,
  streamCutError,
  failing,
  refusalOf,
  streamOf,
  yieldThenFail,
  unreachable,
} from '../../test/provider-answers.ts';
import { wireRequest } from '../../test/requests.ts';

const STREAMED = wireRequest('chat-completions', { stream: true });
const [ROLE = '', FIRST = ''] = chatFrames();

describe('onEnded', () => {
  it('reports the certified outcome once', async () => {
    const chain = openChain(undefined);
    await chain.read();
    const { answer, egress } = chain.certified[0]!;
    const { promptTokens, completionTokens } = answer.usage;
    expect(chain.ended).toEqual([
      {
        provider: 'a',
        model: egress.model,
        agent: '',
        status: 200,
        masked: egress.masked,
        operation: 'chat',
        isStreamed: false,
        durationMs: expect.any(Number),
        ending: expect.objectContaining({
          finishReason: answer.finishReason,
          promptTokens,
          completionTokens,
        }),
      },
    ]);
  });

  it.each([
    [
      'a call that was not sent',
      failing(unreachable),
      { status: 0, failure: 'PROVIDER_UNREACHABLE' },
    ],
    [
      'a call that was cut off',
      failing(streamCutError),
      { status: 0, failure: 'PROVIDER_STREAM_CUT' },
    ],
    ['a refused call', () => refusalOf(400), { status: 400, failure: 'PROVIDER_REFUSED' }],
    ['an answer that is not JSON', () => answerOf(['<']), { failure: 'PROVIDER_INVALID_ANSWER' }],
  ])('reports %s', async (_name, reply, reported) => {
    const chain = openChain(reply);
    await chain.read();
    expect(chain.ended).toEqual([expect.objectContaining(reported)]);
    const isSent = reported.failure !== 'PROVIDER_UNREACHABLE';
    expect(chain.ended[0]!.ending !== undefined).toBe(isSent);
  });

  it('reports every attempted provider', async () => {
    const chain = openChain(() => refusalOf(500), failing(unreachable), undefined);
    await chain.read();
    const output = chain.ended.map(({ provider, failure, ending }) => [
      provider,
      failure,
      ending?.finishReason,
    ]);
    expect(output).toEqual([
      ['a', 'PROVIDER_UNREACHABLE', 'error'],
      ['b', 'PROVIDER_UNREACHABLE', undefined],
      ['c', undefined, 'stop'],
    ]);
  });

  it('reports the part of a stream that was delivered before the cut', async () => {
    const chain = openChain(() => streamOf(yieldThenFail([ROLE, FIRST], streamCutError)));
    await chain.read(STREAMED);
    expect(chain.ended).toEqual([
      expect.objectContaining({
        failure: 'PROVIDER_STREAM_CUT',
        ending: expect.objectContaining({ finishReason: 'error' }),
      }),
    ]);
    const { completionTokens } = chain.certified[0]!.answer.usage;
    expect(chain.ended[0]!.ending!.completionTokens).toBe(completionTokens);
  });
});
