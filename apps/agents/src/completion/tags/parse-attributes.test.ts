import { describe, expect, it } from '@jest/globals';
import { parseAttributes } from './parse-attributes.ts';

describe('parseAttributes', () => {
  it.each<[string, string, Record<string, string | true>]>([
    ['in double quotes', ' key="a b" type="fact"', { key: 'a b', type: 'fact' }],
    ['in single quotes', ' key=\'a "b"\'', { key: 'a "b"' }],
    ['in curly quotes', ' key=“a” type=‘fact’', { key: 'a', type: 'fact' }],
    ['in reversed curly quotes', ' key=”a“', { key: 'a' }],
    ['in a curly and a straight quote', ' key=“a" type=‘b\'', { key: 'a', type: 'b' }],
    ['with a curly quote as data', ' key="it’s “so”"', { key: 'it’s “so”' }],
    ['without quotes', ' key=a/b type=fact', { key: 'a/b', type: 'fact' }],
    ['without quotes, with punctuation as data', ' key=a="b', { key: 'a="b' }],
    ['with space around =', ' key = "a"\n type =\tfact', { key: 'a', type: 'fact' }],
    ['without a value', ' global key=a', { global: true, key: 'a' }],
    ['without a value at the end', ' key=a global', { key: 'a', global: true }],
    ['without a value before a space', ' key=a global ', { key: 'a', global: true }],
    ['without a value after =', ' key=', { key: '' }],
    ['with an empty value', ' key="" global', { key: '', global: true }],
    ['without a space between', ' key="a"global', { key: 'a', global: true }],
    ['between slashes', '/key=a /global/', { key: 'a', global: true }],
    ['twice: the first wins', ' key=a KEY=b', { key: 'a' }],
    ['without a name', ' ="a" key=b', { key: 'b' }],
    ['with names of inherited members', ' __proto__=a', JSON.parse('{"__proto__":"a"}')],
    ['in white space only', ' \n', {}],
  ])('reads attributes %s', (_name, text, attributes) => {
    expect([...parseAttributes(text)]).toEqual(Object.entries(attributes));
  });
});
