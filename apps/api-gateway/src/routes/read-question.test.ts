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
});
