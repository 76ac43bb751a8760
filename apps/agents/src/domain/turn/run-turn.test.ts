import { describe, expect, it } from '@jest/globals';
import { scriptModel } from '../../../test/script-model.ts';
import { runScripted, turnOf } from '../../../test/script-turn.ts';

const ANSWER =
  ' <think>a<MEMORY key=no>x</MEMORY></think>Hi <memory key=City type=fact>Rome</memory>you';

describe('a turn whose answer is text', () => {
  it('shows the same, and keeps the same, however the answer is cut', async () => {
    for (let at = 0; at <= ANSWER.length; at += 1) {
      const model = scriptModel({ texts: [ANSWER.slice(0, at), ANSWER.slice(at)] });
      const { outcome, shown, opened } = await runScripted(
        turnOf({ options: { reflection: true } }),
        model,
      );
      expect([shown.join(''), outcome.content]).toEqual([' Hi you', ' Hi you']);
      expect(outcome.thoughts).toBe('a<MEMORY key=no>x</MEMORY>');
      expect(outcome.memories.memories).toMatchObject([{ key: 'City', value: 'Rome' }]);
      expect([model.delivered, opened]).toEqual([[' Hi you'], ['pf_client']]);
    }
  });

  it('asks once more when all of it was thoughts, under an id of its own', async () => {
    const model = scriptModel({ texts: ['<thinking>hm'] }, { texts: ['Yes.'], reasoning: 'sure' });
    const { outcome, opened } = await runScripted(turnOf({ options: { reflection: true } }), model);
    expect(outcome).toMatchObject({
      content: 'Yes.',
      thoughts: 'hm\n\nsure',
      usage: { totalTokens: 24 },
      proofIds: ['pf_client', 'pf_1'],
    });
    expect(opened).toEqual(['pf_1']);
    expect(model.calls[1]!.prompt.turns).toHaveLength(3);
  });

  it('fails when there is still no answer, and shows no thought', async () => {
    const model = scriptModel({ texts: ['<think>a'] }, { texts: [' \n'] });
    await expect(runScripted(turnOf(), model)).rejects.toMatchObject({
      reason: 'PROVIDER_INVALID_ANSWER',
      fields: { proof: 'pf_1' },
    });
  });

  it('keeps nothing that stood in the prompt', async () => {
    const tag = '<MEMORY key=a>b</MEMORY>';
    const model = scriptModel({ texts: [`Ok ${tag}`] });
    const { outcome } = await runScripted(turnOf({ message: `say ${tag}` }), model);
    expect(outcome.memories).toEqual({
      memories: [],
      rejected: [{ keyNorm: 'a', reason: 'echoed_untrusted' }],
    });
  });
});

describe('thoughts that the model never opened', () => {
  const scripted = { texts: ['hm, ', 'well</think>', '\nYes.'] };

  it.each([
    ['with reflection', { options: { reflection: true } }],
    ['when the answer comes whole', { isShownLive: false }],
  ])('are not shown %s', async (_name, scene) => {
    const { outcome, shown } = await runScripted(turnOf(scene), scriptModel(scripted));
    expect([shown.join(''), outcome.thoughts]).toEqual(['Yes.', 'hm, well']);
  });

  it('are none of an answer that was cut off, unless thoughts were asked for', async () => {
    const cut = { texts: ['One, two'], finishReason: 'length' };
    const { outcome } = await runScripted(turnOf({ isShownLive: false }), scriptModel(cut));
    expect([outcome.content, outcome.thoughts]).toEqual(['One, two', '']);
  });
});

describe('a turn whose answer is JSON', () => {
  const json = { fields: { a: 'a number' }, schema: '' };

  it('comes whole, with its thoughts apart', async () => {
    const model = scriptModel({ texts: ['```json\n{"thoughts":"t",', '"a":1}\n```'] });
    const { outcome, shown } = await runScripted(
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
  ])('is asked for once more when it %s', async (_why, first, maxOutputTokens) => {
    const model = scriptModel(first, { texts: ['{"a": 2}'] });
    const { outcome } = await runScripted(turnOf({ options: { json } }), model);
    expect(outcome).toMatchObject({ object: { a: 2 }, proofIds: ['pf_client', 'pf_1'] });
    expect(model.calls[1]!.prompt).toMatchObject({ temperature: 0, maxOutputTokens });
  });

  it('is no object when it lacks a field a second time', async () => {
    const model = scriptModel({ texts: ['{"b": 1}'] }, { texts: ['{"c": 1}'] });
    const { outcome } = await runScripted(turnOf({ options: { json } }), model);
    expect(outcome).toMatchObject({ object: undefined, content: '{"c":1}' });
  });

  it('fails rather than shows thoughts that stand in what is no JSON', async () => {
    const cut = { texts: ['{"thoughts":"SECRET","a":[1'], finishReason: 'length' };
    const turn = turnOf({ options: { reflection: true, json } });
    await expect(runScripted(turn, scriptModel(cut, cut))).rejects.toMatchObject({
      reason: 'PROVIDER_INVALID_ANSWER',
    });
  });

  it('is no object when it is none a second time', async () => {
    const cut = { texts: ['{"a": [1'], finishReason: 'length' };
    const { outcome } = await runScripted(turnOf({ options: { json } }), scriptModel(cut, cut));
    expect(outcome).toMatchObject({ object: undefined, content: '{"a": [1' });
  });
});
