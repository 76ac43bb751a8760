import { describe, expect, it } from '@jest/globals';
import { parseAttributes } from './parse-attributes.ts';

describe('attributes', () => {
  it.each<[string, string, Record<string, string | true>]>([
    ['in double quotes', ' key="a b" type="fact"', { key: 'a b', type: 'fact' }],
    ['in single quotes', ' key=\'a "b"\'', { key: 'a "b"' }],
    ['in curly quotes', ' key=“a” type=‘fact’', { key: 'a', type: 'fact' }],
    ['in curly quotes the wrong way round', ' key=”a“', { key: 'a' }],
    ['in a curly and a straight quote', ' key=“a" type=‘b\'', { key: 'a', type: 'b' }],
    ['with a curly quote as data', ' key="it’s “so”"', { key: 'it’s “so”' }],
    ['without quotes', ' key=a/b type=fact', { key: 'a/b', type: 'fact' }],
    ['without quotes, with signs as data', ' key=a="b', { key: 'a="b' }],
    ['with space around =', ' key = "a"\n type =\tfact', { key: 'a', type: 'fact' }],
    ['without a value', ' global key=a', { global: true, key: 'a' }],
    ['without a value at the end', ' key=a global', { key: 'a', global: true }],
    ['without a value before a space', ' key=a global ', { key: 'a', global: true }],
    ['without a value behind =', ' key=', { key: '' }],
    ['with an empty value', ' key="" global', { key: '', global: true }],
    ['that follow without a space', ' key="a"global', { key: 'a', global: true }],
    ['between slashes', '/key=a /global/', { key: 'a', global: true }],
    ['twice: the first counts', ' key=a KEY=b', { key: 'a' }],
    ['without a name', ' ="a" key=b', { key: 'b' }],
    ['named like members of objects', ' __proto__=a', JSON.parse('{"__proto__":"a"}')],
    ['that are none', ' \n', {}],
  ])('are read %s', (_name, text, attributes) => {
    expect([...parseAttributes(text)]).toEqual(Object.entries(attributes));
  });
});
