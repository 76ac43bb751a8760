import { describe, expect, it } from '@jest/globals';
import { openChain } from '../../../test/open-completions.ts';
import {
  answerOf,
  chatFrames,
  cutOff,
  failing,
  refusalOf,
  streamOf,
  thenFail,
  unreachable,
} from '../../../test/provider-answers.ts';
import { wireRequest } from '../../../test/requests.ts';

const STREAMED = wireRequest('chat-completions', { stream: true });
const [ROLE = '', FIRST = ''] = chatFrames();

describe('of an attempt that is over', () => {
  it('is told what its certificate says, once', async () => {
    const chain = openChain(undefined);
    await chain.read();
    const { answer, egress } = chain.certified[0]!;
    const { promptTokens, completionTokens } = answer!.usage!;
    expect(chain.ended).toEqual([
      {
        provider: 'a',
        model: egress!.model,
        agent: '',
        status: 200,
        masked: egress!.masked,
        durationMs: expect.any(Number),
        ending: expect.objectContaining({
          finishReason: answer!.finishReason,
          promptTokens,
          completionTokens,
        }),
      },
    ]);
  });

  it.each([
    ['that it never left', failing(unreachable), { status: 0, failure: 'PROVIDER_UNREACHABLE' }],
    ['that it was cut off', failing(cutOff), { status: 0, failure: 'PROVIDER_STREAM_CUT' }],
    ['that it was refused', () => refusalOf(400), { status: 400, failure: 'PROVIDER_REFUSED' }],
    ['that it is no JSON', () => answerOf(['<']), { failure: 'PROVIDER_INVALID_ANSWER' }],
  ])('is told %s', async (_name, reply, reported) => {
    const chain = openChain(reply);
    await chain.read();
    expect(chain.ended).toEqual([expect.objectContaining(reported)]);
    const hasLeft = reported.failure !== 'PROVIDER_UNREACHABLE';
    expect(chain.ended[0]!.ending !== undefined).toBe(hasLeft);
  });

  it('is told of each provider that was asked', async () => {
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

  it('is told what of a stream was delivered until it was cut', async () => {
    const chain = openChain(() => streamOf(thenFail([ROLE, FIRST], cutOff)));
    await chain.read(STREAMED);
    expect(chain.ended).toEqual([
      expect.objectContaining({
        failure: 'PROVIDER_STREAM_CUT',
        ending: expect.objectContaining({ finishReason: 'error' }),
      }),
    ]);
    const { completionTokens } = chain.certified[0]!.answer!.usage!;
    expect(chain.ended[0]!.ending!.completionTokens).toBe(completionTokens);
  });
});
