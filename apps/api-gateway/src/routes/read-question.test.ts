import { describe, expect, it } from '@jest/globals';
import { readQuestion } from './read-question.ts';

const text = (value: string) => ({ type: 'text', text: value });

describe('the question of a wire call', () => {
  it.each([
    ['of a text', [{ role: 'user', content: 'How long?' }], 'How long?'],
    ['of parts', [{ role: 'user', content: [text('How'), text('long?')] }], 'How\nlong?'],
    [
      'of the last user',
      [
        { role: 'user', content: 'one' },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
      'three',
    ],
    [
      'before what tools answered',
      [
        { role: 'user', content: 'How long?' },
        { role: 'assistant', content: null },
        { role: 'user', content: [{ type: 'tool_result', content: 'x' }] },
      ],
      'How long?',
    ],
    ['beside an image', [{ role: 'user', content: [{ type: 'image' }, text('What?')] }], 'What?'],
    ['of nobody', [{ role: 'system', content: 'Be brief.' }], ''],
    ['of nonsense', [null, 5, { role: 'user' }, { role: 'user', content: [7, text('')] }], ''],
    ['of no list', 'hi', ''],
  ])('is that %s', (_name, messages, expected) => {
    expect(readQuestion({ messages })).toBe(expected);
  });

  it.each([
    ['before', (much: string) => `How long? ${much}`],
    ['behind', (much: string) => `${much} How long?`],
  ])('is found %s a text of any length, and is not as long', (_name, around) => {
    const content = around('\u{1f4b6} word '.repeat(1_000_000));
    const question = readQuestion({ messages: [{ role: 'user', content }] });
    expect(question).toContain('How long?');
    expect(question.length).toBeLessThanOrEqual(32_001);
    expect(question.isWellFormed()).toBe(true);
  });
});
