import { describe, expect, it } from '@jest/globals';
import { popThoughts } from './pop-thoughts.ts';

describe('popThoughts', () => {
  it('takes the thoughts of the outermost object only', () => {
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
  ])('makes a text of thoughts that are %s', (_name, thoughts, text) => {
    expect(popThoughts({ thoughts, a: 1 })).toEqual({
      thoughts: text,
      rest: { a: 1 },
      content: '{"a":1}',
    });
  });
});
