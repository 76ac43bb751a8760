import { describe, expect, it } from '@jest/globals';
import { readQuestion } from './ground-call.ts';

const text = (value: string) => ({ type: 'text', text: value });

describe('the question of a dialect call', () => {
  it.each([
    ['from a text', [{ role: 'user', content: 'How long?' }], 'How long?'],
    ['from parts', [{ role: 'user', content: [text('How'), text('long?')] }], 'How\nlong?'],
    [
      'from the last user message',
      [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
      'three',
    ],
    [
      'before tool results',
      [
        { role: 'user', content: 'How long?' },
        { role: 'assistant', content: null },
        { role: 'user', content: [{ type: 'tool_result', content: 'x' }] },
      ],
      'How long?',
    ],
    ['next to an image', [{ role: 'user', content: [{ type: 'image' }, text('What?')] }], 'What?'],
    ['as empty without a user message', [{ role: 'system', content: 'Be brief.' }], ''],
    [
      'as empty from malformed messages',
      [null, 5, { role: 'user' }, { role: 'user', content: [7, text('')] }],
      '',
    ],
    ['as empty without a list', 'hi', ''],
  ])('is read %s', (_name, messages, expected) => {
    expect(readQuestion({ messages })).toBe(expected);
  });

  it.each([
    ['a text', 'How long?', 'How long?'],
    [
      'items',
      [
        { role: 'user', content: [{ type: 'input_text', text: 'How long?' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'x' },
      ],
      'How long?',
    ],
    ['no items', undefined, ''],
  ])('is read from the input of a responses call: %s', (_name, input, expected) => {
    expect(readQuestion({ input })).toBe(expected);
  });

  it.each([
    ['before', (longText: string) => `How long? ${longText}`],
    ['after', (longText: string) => `${longText} How long?`],
  ])('is found %s a text of any length, and is truncated', (_name, toText) => {
    const content = toText('\u{1f4b6} word '.repeat(1_000_000));
    const question = readQuestion({ messages: [{ role: 'user', content }] });
    expect(question).toContain('How long?');
    expect(question.length).toBeLessThanOrEqual(32_001);
    expect(question.isWellFormed()).toBe(true);
  });
});
