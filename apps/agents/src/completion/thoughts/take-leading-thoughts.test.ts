import { describe, expect, it } from '@jest/globals';
import { takeLeadingThoughts } from './take-leading-thoughts.ts';

describe('takeLeadingThoughts', () => {
  it.each([
    ['before an object', '<think>{"a":1}?</think>{"a":2}', '{"a":1}?', '{"a":2}'],
    ['in a tag of another name', '\n<Thinking>so</Thinking>{}', 'so', '{}'],
    ['without a closing tag', '<think>{"a":1}', '{"a":1}', ''],
    ['with a closing tag that is cut off', '<think>{"a":1}</think', '{"a":1}</think', ''],
    ['in two blocks', '<think>1</think>\n<reflection>2</reflection>{}', '1\n\n2', '{}'],
    ['with a block inside', '<think>a<think>b</think>c</think>{}', 'a<think>b</think>c', '{}'],
    ['after words', 'So: <think>{"a":1}</think>{}', '{"a":1}', '{}'],
    ['and a stray closing tag', '<think>x</think></think>{}', 'x', '{}'],
    ['with NUL', '<th\0ink>a\0</think>\0{}', 'a', '{}'],
    ['from an empty tag', '<think/>{}', '', '{}'],
    ['without an opening tag', 'So {"a":1}?</think>{"a":2}', 'So {"a":1}?', '{"a":2}'],
    ['without an opening tag, before prose', 'So.</thinking>Here: {}', 'So.', 'Here: {}'],
    ['without an opening tag, empty', '\n</think>\n\n{}', '', '{}'],
    ['without an opening tag, with an object', '{"a":1}?</think>\n```\n{}', '{"a":1}?', '```\n{}'],
  ])('removes thoughts %s', (_name, text, thoughts, rest) => {
    const taken = takeLeadingThoughts(text);
    expect([taken.thoughts, taken.rest.trim()]).toEqual([thoughts, rest]);
  });

  it.each([
    ['an object that mentions an opening tag', '{"a":"open a <think> block"}'],
    ['an object that mentions a closing tag', '{"a":"close it by </think>!"}'],
    ['a fenced object that mentions both', '```json\n{"a":"<think>x</think>"}\n```'],
    ['prose', 'I think <b>so</b>. <thinker>'],
    ['a tag after the object', 'So: {"a":1}. I used <think>'],
    ['nothing', ''],
  ])('leaves %s unchanged', (_name, text) => {
    expect(takeLeadingThoughts(text)).toEqual({ thoughts: '', rest: text });
  });

  it('leaves tags in the answer after thoughts unchanged', () => {
    const answer = '{"a":"open a <think> block, then </think>"}';
    expect(takeLeadingThoughts(`<think>x</think>${answer}`).rest).toBe(answer);
  });

  it.each(['<think/>', '</think>', '<think>', '{</think>', ' '])(
    'takes linear time for many of %j',
    (piece) => {
      const { thoughts, rest } = takeLeadingThoughts(piece.repeat(2 ** 12));
      expect(thoughts.length + rest.length).toBeLessThanOrEqual(piece.length * 2 ** 12 + 2 ** 14);
    },
  );
});
