import { describe, expect, it } from '@jest/globals';
import { popThoughts } from './describe-shape.ts';

describe('popThoughts', () => {
  it('removes only the thoughts of the outermost object', () => {
    const answer = { thoughts: 'hm', a: { thoughts: 'stays' } };
    expect(popThoughts(answer)).toEqual({
      thoughts: 'hm',
      rest: { a: { thoughts: 'stays' } },
      content: '{"a":{"thoughts":"stays"}}',
    });
    expect(answer.thoughts).toBe('hm');
  });

  it.each([
    ['absent', undefined, ''],
    ['null', null, ''],
    ['a list', ['one', 2, 'three'], 'one\n2\nthree'],
    ['an object', { step: 1 }, '{"step":1}'],
  ])('converts thoughts to a text: %s', (_name, thoughts, text) => {
    expect(popThoughts({ thoughts, a: 1 })).toEqual({
      thoughts: text,
      rest: { a: 1 },
      content: '{"a":1}',
    });
  });
});
