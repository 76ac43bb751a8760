import { describe, expect, it } from '@jest/globals';
import { takeLeadingThoughts } from './take-leading-thoughts.ts';

describe('takeLeadingThoughts', () => {
  it.each([
    ['before an object', '<think>{"a":1}?</think>{"a":2}', '{"a":1}?', '{"a":2}'],
    ['by another name', '\n<Thinking>so</Thinking>{}', 'so', '{}'],
    ['that never end', '<think>{"a":1}', '{"a":1}', ''],
    ['whose end is cut off', '<think>{"a":1}</think', '{"a":1}</think', ''],
    ['in two blocks', '<think>1</think>\n<reflection>2</reflection>{}', '1\n\n2', '{}'],
    ['with a block inside', '<think>a<think>b</think>c</think>{}', 'a<think>b</think>c', '{}'],
    ['behind words', 'So: <think>{"a":1}</think>{}', '{"a":1}', '{}'],
    ['and a stray end', '<think>x</think></think>{}', 'x', '{}'],
    ['with NUL', '<th\0ink>a\0</think>\0{}', 'a', '{}'],
    ['that are none', '<think/>{}', '', '{}'],
    ['that were never opened', 'So {"a":1}?</think>{"a":2}', 'So {"a":1}?', '{"a":2}'],
    ['never opened, prose behind', 'So.</thinking>Here: {}', 'So.', 'Here: {}'],
    ['never opened, nothing before', '\n</think>\n\n{}', '', '{}'],
    ['never opened, an object first', '{"a":1}?</think>\n```\n{}', '{"a":1}?', '```\n{}'],
  ])('takes thoughts %s', (_name, text, thoughts, rest) => {
    const taken = takeLeadingThoughts(text);
    expect([taken.thoughts, taken.rest.trim()]).toEqual([thoughts, rest]);
  });

  it.each([
    ['an object that speaks of an opening', '{"a":"open a <think> block"}'],
    ['an object that speaks of an end', '{"a":"close it by </think>!"}'],
    ['a fenced object that speaks of both', '```json\n{"a":"<think>x</think>"}\n```'],
    ['prose', 'I think <b>so</b>. <thinker>'],
    ['a tag behind the object', 'So: {"a":1}. I used <think>'],
    ['nothing', ''],
  ])('leaves %s as it is', (_name, text) => {
    expect(takeLeadingThoughts(text)).toEqual({ thoughts: '', rest: text });
  });

  it('leaves tags in the answer behind thoughts as they are', () => {
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
