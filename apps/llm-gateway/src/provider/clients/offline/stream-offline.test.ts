import { describe, expect, it } from '@jest/globals';
import { answerOffline } from './answer-offline.ts';
import { streamOffline } from './stream-offline.ts';

const question = {
  role: 'user',
  content: 'Gibt es 送料無料の配送はありますかどうか教えてください 🙂?',
};
const tools = [
  {
    type: 'function',
    function: { name: 'ask', parameters: { properties: { query: {} }, required: ['query'] } },
  },
];

describe('streamOffline', () => {
  it('emits the role first, then the exact text of the answer, then one finish reason', () => {
    const answer = answerOffline({ messages: [question], n: 2 });
    const chunks = [...streamOffline(answer)];
    for (const choice of answer.choices) {
      const own = chunks.flatMap(({ choices }) =>
        choices.filter((one) => one.index === choice.index),
      );
      expect(own[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null });
      expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(choice.message.content);
      expect(own.map((one) => one.finish_reason).filter((reason) => reason !== null)).toEqual([
        'stop',
      ]);
      expect(own.at(-1)).toMatchObject({ delta: {}, finish_reason: 'stop' });
      expect(own.length).toBeGreaterThan(10);
    }
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([answer.id]));
  });

  it('alternates between choices', () => {
    const chunks = [...streamOffline(answerOffline({ messages: [question], n: 2 }))];
    expect(chunks.slice(0, 4).map(({ choices }) => choices[0]?.index)).toEqual([0, 1, 0, 1]);
  });

  it('names a tool call once and then emits its arguments in pieces', () => {
    const answer = answerOffline({ messages: [question], tools, tool_choice: 'required' });
    const deltas = [...streamOffline(answer)].flatMap(
      ({ choices }) => choices[0]?.delta.tool_calls ?? [],
    );
    const call = answer.choices[0]?.message.tool_calls?.[0];
    expect(deltas[0]).toEqual({
      index: 0,
      id: call?.id,
      type: 'function',
      function: { name: 'ask', arguments: '' },
    });
    expect(deltas.slice(1).every((delta) => delta.id === undefined && delta.index === 0)).toBe(
      true,
    );
    expect(deltas.map((delta) => delta.function.arguments).join('')).toBe(call?.function.arguments);
    expect(deltas.length).toBeGreaterThan(2);
  });

  it('emits the usage only on request, in one last chunk without choices', () => {
    const answer = answerOffline({ messages: [question] });
    expect([...streamOffline(answer)].some((chunk) => 'usage' in chunk)).toBe(false);
    const chunks = [...streamOffline(answer, { includeUsage: true })];
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: answer.usage });
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
  });

  it('streams a refusal as a refusal', () => {
    const format = { type: 'json_schema', json_schema: { name: 'x', schema: false } };
    const answer = answerOffline({ messages: [question], response_format: format });
    const deltas = [...streamOffline(answer)].map(({ choices }) => choices[0]?.delta);
    const refusal = deltas.map((delta) => delta?.refusal ?? '').join('');
    expect(refusal).toBe(answer.choices[0]?.message.refusal);
    expect(refusal).toContain('offline provider');
  });
});
