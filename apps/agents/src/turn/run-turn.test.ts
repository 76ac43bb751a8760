import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { scriptModel } from '../../test/script-model.ts';
import { TOOLS } from '../../test/script-tool.ts';
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

  it.each([
    ['lacks a field', { texts: ['{"c": 1}'] }, false],
    ['is prose', { texts: ['No.'] }, false],
    ['is cut off', { texts: ['{"a": [1'], finishReason: 'length' }, false],
    ['may have thoughts', { texts: ['{"thoughts":"SECRET","a":[1'], finishReason: 'length' }, true],
  ])(
    'fails if the retry %s as well, and nothing is delivered',
    async (_name, answer, reflection) => {
      const model = scriptModel(answer, answer);
      const turn = turnOf({ options: { reflection, json } });
      await expect(runScriptedTurn(turn, model)).rejects.toMatchObject({
        reason: 'PROVIDER_INVALID_ANSWER',
        fields: { proof: 'pf_1' },
      });
      expect(model.delivered).toEqual(['', '']);
    },
  );
});

type Recorded = { kind: string; wantsJson: boolean; finishReason: string; answer: string };
const recorded = readFileSync(
  new URL('../../../../libs/testing/data/real-models-answers.ndjson', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)
  .filter(({ kind, wantsJson }) => kind.startsWith('agent chat') && !wantsJson);

describe('recorded answers of small models', () => {
  it('are shown without parts of tags, and their memories are read', async () => {
    const keys: string[] = [];
    for (const { answer, finishReason } of recorded) {
      const model = scriptModel({ texts: [answer], finishReason }, { texts: ['Again.'] });
      const { outcome } = await runScriptedTurn(turnOf({ tools: TOOLS }), model);
      expect(outcome.content).not.toMatch(/MEMORY key|<\/?(?:answer|think|tool)/i);
      keys.push(...outcome.memories.memories.map(({ keyNorm }) => keyNorm));
    }
    expect(recorded).toHaveLength(13);
    expect(keys).toEqual(['cash_burn', 'cash_burn_increase', 'short']);
  });

  it.each(['Wait with the hire. <ME', 'Wait with the hire. <', 'Wait with the hire. </memor'])(
    'lose the beginning of a tag at which they are cut off: %j',
    async (text) => {
      const model = scriptModel({ texts: [text], finishReason: 'length' });
      const { outcome } = await runScriptedTurn(turnOf({}), model);
      expect(outcome.content.trim()).toBe('Wait with the hire.');
      expect(model.delivered).toEqual([outcome.content]);
    },
  );
});
