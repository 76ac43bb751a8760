import { describe, expect, it } from '@jest/globals';
import { readElements } from './json-text.ts';

const elementsOf = (source: string): string[] =>
  readElements(source, source.indexOf('[')).map(({ start, end }) => source.slice(start, end));

describe('readElements', () => {
  it.each([
    ['nothing in an empty list', '[]', []],
    ['nothing in a list of white space', '[ \n]', []],
    ['scalars of every kind', '[1.0, "a" ,true,null]', ['1.0', '"a"', 'true', 'null']],
    ['nested lists and objects', '[[1,[2]],{"a":[3]}]', ['[1,[2]]', '{"a":[3]}']],
    ['strings with brackets and quotes', '["],[","\\"]"]', ['"],["', '"\\"]"']],
    ['a list inside of other text', '{"x":"y","l":[1 , 2],"z":[3]}', ['1', '2']],
  ])('finds %s', (_name, source, expected) => {
    expect(elementsOf(source)).toEqual(expected);
  });

  it('throws on text that is not JSON instead of looping', () => {
    expect(() => elementsOf('[1 2]')).toThrow('not JSON');
    expect(() => elementsOf('[1,')).toThrow('not JSON');
    expect(() => elementsOf('["a')).toThrow('not JSON');
  });
});
