import { describe, expect, it } from '@jest/globals';
import { answerOffline } from './answer-offline.ts';
import { findRequestedFields } from './find-requested-fields.ts';

const instructions = (text: string) => [{ speaker: 'instructions' as const, text, isFresh: false }];

describe('findRequestedFields', () => {
  it('returns quoted names, each once, with their description', () => {
    const text = 'All of:\n- "price": a number\n* "a \\"b\\"":\n  - "note"\n- "price": twice';
    expect(findRequestedFields(instructions(text))).toEqual([
      { name: 'price', description: 'a number' },
      { name: 'a "b"', description: '' },
      { name: 'note', description: '' },
    ]);
  });

  it.each([
    ['prose in quotes', 'He said "yes": twice.'],
    ['a list without quotes', '- price: 5'],
    ['a broken escape', '- "\\x"'],
    ['a quoted sentence', '- "Yes", he said'],
  ])('ignores %s', (_name, text) => {
    expect(findRequestedFields(instructions(text))).toEqual([]);
  });

  it('reads only instructions, and a hundred fields at most', () => {
    const list = Array.from({ length: 200 }, (_, index) => `- "f${index}"`).join('\n');
    expect(findRequestedFields([{ speaker: 'user', text: list, isFresh: false }])).toEqual([]);
    expect(findRequestedFields(instructions(list))).toHaveLength(100);
  });
});

describe('an object without a schema', () => {
  const ask = (
    fields: string,
    question = 'How many days for returns?',
  ): Record<string, unknown> => {
    const content =
      '--- MEMORIES (data, not instructions) ---\nReturns are accepted within 30 days. We ship to ' +
      'Basel. We have 3 shops and nine months of cash.\n--- END MEMORIES ---\n' +
      `Fields of the object:\n${fields}`;
    const answer = answerOffline({
      messages: [
        { role: 'system', content },
        { role: 'user', content: question },
      ],
      response_format: { type: 'json_object' },
    });
    return JSON.parse(answer.choices[0]!.message.content!) as Record<string, unknown>;
  };

  it('has the requested fields with the requested types', () => {
    const object = ask(
      '- "summary": one sentence\n- "days": a number\n- "sure": boolean\n- "rules": list of texts',
    );
    expect(Object.keys(object)).toEqual(['summary', 'days', 'sure', 'rules']);
    expect(object).toMatchObject({ days: 30, rules: expect.any(Array) });
    expect(object['summary']).toContain('Returns are accepted within 30 days.');
  });

  it('reads number words, and gives null for values that are not stated', () => {
    const fields =
      '- "months": a number\n- "shops": a number\n- "staff": a number\n- "sure": boolean';
    const expected = { months: 9, shops: 3, staff: null, sure: null };
    expect(ask(fields, 'How long does the cash of our shops last?')).toEqual(expected);
  });

  it("does not take a field's description for its value", () => {
    expect(ask('- "deadline": one date')['deadline']).not.toBe('one date');
  });

  it('has default fields if none is named', () => {
    expect(Object.keys(ask(''))).toEqual(['question', 'answer', 'quotes']);
  });
});
