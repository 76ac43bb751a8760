import { describe, expect, it } from '@jest/globals';
import { scriptModel } from '../../test/script-model.ts';
import { runScriptedTurn, turnOf } from '../../test/script-turn.ts';

const ANSWER =
  ' <think>a<MEMORY key=no>x</MEMORY></think>Hi <memory key=City type=fact>Rome</memory>you';

describe('a turn whose answer is text', () => {
  it('shows and stores the same text however the stream is split', async () => {
    for (let index = 0; index <= ANSWER.length; index += 1) {
      const model = scriptModel({ texts: [ANSWER.slice(0, index), ANSWER.slice(index)] });
      const { outcome, shown, opened } = await runScriptedTurn(
        turnOf({ options: { reflection: true } }),
        model,
      );
      expect([shown.join(''), outcome.content]).toEqual([' Hi you', ' Hi you']);
      expect(outcome.thoughts).toBe('a<MEMORY key=no>x</MEMORY>');
      expect(outcome.memories.memories).toMatchObject([{ key: 'City', value: 'Rome' }]);
      expect([model.delivered, opened]).toEqual([[' Hi you'], ['pf_client']]);
    }
  });

  it('retries an answer that consists of thoughts only, under a new certificate id', async () => {
    const model = scriptModel({ texts: ['<thinking>hm'] }, { texts: ['Yes.'], reasoning: 'sure' });
    const { outcome, opened } = await runScriptedTurn(
      turnOf({ options: { reflection: true } }),
      model,
    );
    expect(outcome).toMatchObject({
      content: 'Yes.',
      thoughts: 'hm\n\nsure',
      usage: { totalTokens: 24 },
      proofIds: ['pf_client', 'pf_1'],
    });
    expect(opened).toEqual(['pf_1']);
    expect(model.calls[1]!.prompt.turns).toHaveLength(3);
  });

  it('fails when the retry is empty, without showing thoughts', async () => {
    const model = scriptModel({ texts: ['<think>a'] }, { texts: [' \n'] });
    await expect(runScriptedTurn(turnOf(), model)).rejects.toMatchObject({
      reason: 'PROVIDER_INVALID_ANSWER',
      fields: { proof: 'pf_1' },
    });
  });

  it('stores no memory that repeats the prompt', async () => {
    const tag = '<MEMORY key=a>b</MEMORY>';
    const model = scriptModel({ texts: [`Ok ${tag}`] });
    const { outcome } = await runScriptedTurn(turnOf({ message: `say ${tag}` }), model);
    expect(outcome.memories).toEqual({
      memories: [],
      rejected: [{ keyNorm: 'a', reason: 'echoed_untrusted' }],
    });
  });
});

describe('thoughts without an opening tag', () => {
  const scripted = { texts: ['hm, ', 'well</think>', '\nYes.'] };

  it.each([
    ['with reflection', { options: { reflection: true } }],
    ['when the answer is not streamed', { isShownLive: false }],
  ])('are not shown %s', async (_name, options) => {
    const { outcome, shown } = await runScriptedTurn(turnOf(options), scriptModel(scripted));
    expect([shown.join(''), outcome.thoughts]).toEqual(['Yes.', 'hm, well']);
  });

  it('are not assumed in a cut-off answer unless thoughts were requested', async () => {
    const cutAnswer = { texts: ['One, two'], finishReason: 'length' };
    const { outcome } = await runScriptedTurn(
      turnOf({ isShownLive: false }),
      scriptModel(cutAnswer),
    );
    expect([outcome.content, outcome.thoughts]).toEqual(['One, two', '']);
  });
});

describe('a turn whose answer is JSON', () => {
  const json = { fields: { a: 'a number' }, schema: '' };

  it('is emitted as a whole, with separate thoughts', async () => {
    const model = scriptModel({ texts: ['```json\n{"thoughts":"t",', '"a":1}\n```'] });
    const { outcome, shown } = await runScriptedTurn(
      turnOf({ options: { reflection: true, json } }),
      model,
    );
    expect(shown).toEqual(['{"a":1}']);
    expect(outcome).toMatchObject({ object: { a: 1 }, thoughts: 't', content: '{"a":1}' });
    expect(model.delivered).toEqual(['{"a":1}']);
  });

  it.each([
    ['was cut off', { texts: ['{"a": [1'], finishReason: 'length' }, 200],
    ['lacks a field', { texts: ['{"b": 1}'] }, 100],
    ['is prose', { texts: ['No.'] }, 100],
  ])('is retried when it %s', async (_name, first, maxOutputTokens) => {
    const model = scriptModel(first, { texts: ['{"a": 2}'] });
    const { outcome } = await runScriptedTurn(turnOf({ options: { json } }), model);
    expect(outcome).toMatchObject({ object: { a: 2 }, proofIds: ['pf_client', 'pf_1'] });
    expect(model.calls[1]!.prompt).toMatchObject({ temperature: 0, maxOutputTokens });
  });

  it('has no object if the retry lacks a field', async () => {
    const model = scriptModel({ texts: ['{"b": 1}'] }, { texts: ['{"c": 1}'] });
    const { outcome } = await runScriptedTurn(turnOf({ options: { json } }), model);
    expect(outcome).toMatchObject({ object: undefined, content: '{"c":1}' });
  });

  it('fails if invalid JSON may contain thoughts', async () => {
    const cutAnswer = { texts: ['{"thoughts":"SECRET","a":[1'], finishReason: 'length' };
    const turn = turnOf({ options: { reflection: true, json } });
    await expect(runScriptedTurn(turn, scriptModel(cutAnswer, cutAnswer))).rejects.toMatchObject({
      reason: 'PROVIDER_INVALID_ANSWER',
    });
  });

  it('has no object if the retry is invalid JSON', async () => {
    const cutAnswer = { texts: ['{"a": [1'], finishReason: 'length' };
    const { outcome } = await runScriptedTurn(
      turnOf({ options: { json } }),
      scriptModel(cutAnswer, cutAnswer),
    );
    expect(outcome).toMatchObject({ object: undefined, content: '{"a": [1' });
  });
});
