import { describe, expect, it } from '@jest/globals';
import { describeShape } from './describe-shape.ts';

const INSTRUCTION =
  'Answer with one JSON object and nothing else: no text around it, no code fence, no comments.';
const THOUGHTS =
  'Its first field is "thoughts", a text: reason there, step by step, before you fill in the rest.';

describe('describeShape', () => {
  it.each([
    ['any object', { hasThoughts: false }, [INSTRUCTION]],
    ['no fields at all', { fields: {}, schema: ' ', hasThoughts: false }, [INSTRUCTION]],
    [
      'fields',
      { fields: { summary: 'One\nsentence', 'a"b': '' }, hasThoughts: false },
      [
        INSTRUCTION,
        'The object has all of these fields:',
        '{"type":"object","properties":{"summary":{"description":"One sentence"},' +
          String.raw`"a\"b":{}},"required":["summary","a\"b"]}`,
      ],
    ],
    [
      'a schema',
      { schema: '{ items: [\n  string ] }\n', hasThoughts: false },
      [INSTRUCTION, 'The object has this shape:', '{ items: [', '  string ] }'],
    ],
    [
      'thoughts before fields',
      { fields: { a: 'A' }, hasThoughts: true },
      [
        INSTRUCTION,
        THOUGHTS,
        'The object has all of these fields:',
        '{"type":"object","properties":{"a":{"description":"A"}},"required":["a"]}',
      ],
    ],
  ])('requests %s', (_name, shape, lines) => {
    expect(describeShape(shape)).toBe(lines.join('\n'));
  });
});
