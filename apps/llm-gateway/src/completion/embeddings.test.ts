import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { CompleteRequestSchema } from '@witan/contracts';
import { commitAnswer, commitEmbeddings, toBase64Vector } from '@witan/proof';
import { findEvent } from '../../test/read-as-client.ts';
import { createFakeProvider } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import type { Outcome, TestCompletions } from '../../test/open-completions.ts';
import { answerOf } from '../../test/provider-answers.ts';
import { ASKED_MODEL, makeAddress } from '../../test/requests.ts';
import type { Provider } from '../provider/provider.ts';

const toList = (...embeddings: unknown[]) => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  usage: { prompt_tokens: 4, total_tokens: 4 },
});

const open = (
  answer: object,
  dialects: Provider['dialects'] = ['chat-completions', 'embeddings'],
) => {
  const reply = () => answerOf([JSON.stringify(answer)]);
  const provider = { ...createFakeProvider({ reply }), dialects };
  return { ...openCompletions({ providers: [provider] }), provider };
};

const embed = ({ read }: Pick<TestCompletions, 'read'>, body: object): Promise<Outcome> => {
  const json = Buffer.from(JSON.stringify({ model: ASKED_MODEL, ...body }));
  const request = create(CompleteRequestSchema, {
    proofId: 'pf_1',
    address: makeAddress({ requested: ASKED_MODEL, model: ASKED_MODEL }),
    requestSha256: 'aa'.repeat(32),
    input: { case: 'wire', value: { dialect: 'embeddings', json } },
  });
  return read(request);
};

describe('a call for embeddings', () => {
  it('is certified with its vectors, and reported as such', async () => {
    const completions = open(toList([1], [0.5]));
    const { events } = await embed(completions, { input: ['a', 'b'] });
    const text = Buffer.from(findEvent(events, 'wire')).toString();
    expect(text).toBe(JSON.stringify(toList([1], [0.5])));
    expect(completions.certified[0]).toMatchObject({
      answer: {
        sha256: commitEmbeddings([toBase64Vector([1])!, toBase64Vector([0.5])!]),
        finishReason: 'stop',
        usage: { promptTokens: 4, completionTokens: 0, totalTokens: 4 },
      },
      routing: { taskType: 'embedding', reason: 'alias' },
    });
    expect(completions.ended).toMatchObject([{ operation: 'embeddings' }]);
    expect(completions.provider.calls[0]!.dialect).toBe('embeddings');
  });

  it('is answered in the requested encoding', async () => {
    const { events } = await embed(open(toList([1])), { input: 'a', encoding_format: 'base64' });
    const text = Buffer.from(findEvent(events, 'wire')).toString();
    expect(JSON.parse(text)).toEqual(toList(toBase64Vector([1])));
  });

  it.each<[string, object]>([
    ['fewer vectors than inputs', toList([1])],
    ['an invalid vector', toList([1], 'no')],
    ['no vectors', {}],
  ])('fails, certified as an error, for %s', async (_name, answer) => {
    const completions = open(answer);
    const { failure } = await embed(completions, { input: ['a', 'b'] });
    expect(failure).toBe('PROVIDER_INVALID_ANSWER pf_1');
    expect(completions.certified[0]!.answer).toMatchObject({
      finishReason: 'error',
      sha256: commitAnswer([]),
    });
  });

  it('is not sent as tokens', async () => {
    const { failure } = await embed(open(toList([1])), { input: [1, 2] });
    expect(failure).toBe('INVALID_REQUEST');
  });

  it('is not sent to a provider that makes none', async () => {
    const completions = open(toList([1]), ['chat-completions']);
    expect((await embed(completions, { input: 'a' })).failure).toBe('INVALID_REQUEST');
    expect(completions.provider.calls).toEqual([]);
  });
});
