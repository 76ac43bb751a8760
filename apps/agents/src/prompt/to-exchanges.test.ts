import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from '@jest/globals';
import { TurnSchema, type PartSchema } from '@witan/contracts';
import { estimateTurn, toExchanges } from './to-exchanges.ts';

type PartInit = MessageInitShape<typeof PartSchema>;

const turn = (role: 'user' | 'assistant', ...parts: PartInit[]) =>
  create(TurnSchema, { role, parts });
const text = (value: string): PartInit => ({ part: { case: 'text', value: { text: value } } });
const call: PartInit = {
  part: { case: 'toolCall', value: { id: 'c1', name: 'find', arguments: '{"a":1}' } },
};
const result: PartInit = {
  part: { case: 'toolResult', value: { toolCallId: 'c1', parts: [text('found it')] } },
};

describe('toExchanges', () => {
  it("groups tool calls, results and answer with the user's message", () => {
    const turns = [
      turn('user', text('one')),
      turn('assistant', call),
      turn('user', result),
      turn('assistant', text('done')),
      turn('user', text('two')),
      turn('assistant', text('yes')),
    ];
    const exchanges = toExchanges(turns);
    expect(exchanges.map((exchange) => exchange.turns)).toEqual([
      turns.slice(0, 4),
      turns.slice(4),
    ]);
    expect(exchanges[1]!.tokens).toBe(estimateTurn(turns[4]!) + estimateTurn(turns[5]!));
  });

  it('groups turns before the first user message', () => {
    const turns = [turn('assistant', text('Welcome.')), turn('user', text('Hello.'))];
    expect(toExchanges(turns).map((exchange) => exchange.turns)).toEqual([[turns[0]], [turns[1]]]);
    expect(toExchanges([])).toEqual([]);
  });
});

describe('estimateTurn', () => {
  it.each<[string, PartInit, number]>([
    ['text', text('12345678'), 6],
    ['a call', call, 4 + 4 + 3],
    ['a result', result, 4 + 4 + 2],
    ['reasoning', { part: { case: 'reasoning', value: { text: '1234' } } }, 5],
    ['an image at a flat rate', { part: { case: 'image', value: {} } }, 1_604],
    [
      'a text document',
      {
        part: {
          case: 'document',
          value: { media: { source: { case: 'text', value: '1'.repeat(400) } } },
        },
      },
      104,
    ],
    ['a binary document at a flat rate', { part: { case: 'document', value: {} } }, 1_604],
    ['an empty part', {}, 4],
  ])('counts %s', (_name, part, tokens) => {
    expect(estimateTurn(turn('user', part))).toBe(tokens);
  });
});
