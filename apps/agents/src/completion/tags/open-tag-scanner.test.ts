import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitsOf } from '../../../test/splits-of.ts';
import { openTagScanner, parseAttributes, TAG_LENGTH_MAX } from './open-tag-scanner.ts';
import type { TagToken } from './open-tag-scanner.ts';

const NAMES = ['memory', 'think', 'thinking'];

function scan(pieces: readonly string[]): TagToken[] {
  const scanner = openTagScanner(NAMES);
  const joinedTokens: TagToken[] = [];
  for (const token of [...pieces.flatMap((piece) => scanner.push(piece)), ...scanner.end()]) {
    const before = joinedTokens.at(-1);
    if (token.kind === 'text' && before?.kind === 'text') before.text += token.text;
    else joinedTokens.push({ ...token });
  }
  return joinedTokens;
}

const toJson = (tokens: TagToken[]): string =>
  JSON.stringify(tokens, (_key, value) => (value instanceof Map ? [...value] : value));

const text = (content: string) => ({ kind: 'text', text: content });
const toOpeningToken = (name: string, isSelfClosing = false) =>
  expect.objectContaining({ kind: 'opening', name, isSelfClosing });
const closing = (name: string, source = `</${name}>`) => ({ kind: 'closing', name, source });

describe('openTagScanner', () => {
  it.each<[string, string, unknown[]]>([
    [
      'tags in any case',
      '<Memory>x</memory>',
      [toOpeningToken('memory'), text('x'), closing('memory')],
    ],
    [
      'space in tags',
      '<think\n>x</THINK\t >',
      [toOpeningToken('think'), text('x'), closing('think', '</THINK\t >')],
    ],
    ['a name that begins with another', '<thinking>', [toOpeningToken('thinking')]],
    [
      'self-closing tags',
      '<memory/><memory key=a/>',
      [toOpeningToken('memory', true), toOpeningToken('memory', true)],
    ],
    ['a > in quotes', '<memory key="a>b">x', [toOpeningToken('memory'), text('x')]],
    ['a < in quotes', "<memory key='<memory'>x", [toOpeningToken('memory'), text('x')]],
    ['an apostrophe outside values', "<memory it's>x", [toOpeningToken('memory'), text('x')]],
    [
      'a tag after an incomplete tag',
      '</<<memory<memory>',
      [text('</<<memory'), toOpeningToken('memory')],
    ],
    [
      'a tag after a tag without >',
      '<memory a <memory b>',
      [text('<memory a '), toOpeningToken('memory')],
    ],
    [
      'an opening tag that is cut off',
      'x<memory key="',
      [text('x'), { kind: 'cut', isClosing: false }],
    ],
    ['a closing tag that is cut off', 'x</memory ', [text('x'), { kind: 'cut', isClosing: true }]],
  ])('finds %s', (_name, input, tokens) => {
    expect(scan([input])).toEqual(tokens);
  });

  it.each([
    'a < b and <b>bold</b> <MEMO',
    '<MEMORYX key=a>',
    '<memory',
    '</memory',
    '</memory/>',
    '</memory key=a>',
    '< memory>',
    '<me\u200bmory>',
    '<thinker></thin>',
    '<ⅿemory>',
    `<memory ${'a'.repeat(TAG_LENGTH_MAX)}>`,
    `</memory${' '.repeat(TAG_LENGTH_MAX)}>`,
  ])('treats %j as text', (input) => {
    expect(scan([input])).toEqual([text(input)]);
  });

  it('reads a tag of exactly the maximum length, but none that is longer', () => {
    const tag = `<memory key="${'a'.repeat(TAG_LENGTH_MAX - 15)}">`;
    expect(tag).toHaveLength(TAG_LENGTH_MAX);
    expect(scan([...tag])).toEqual([toOpeningToken('memory')]);
    expect(scan([tag.replace('>', ' >')])).toEqual([text(tag.replace('>', ' >'))]);
  });

  it('does not depend on how the text is split', () => {
    const word = fc.constantFrom(
      ...['<memory', '<Think', 'ing', '</memory', '</thinking', '<', '/', '>', '=', '"', "'"],
      ...['“', '’', ' ', '\n', 'key', 'a', 'ë', '😀', 'mem', ' '.repeat(TAG_LENGTH_MAX)],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 24 }), fc.nat(), (words, seed) => {
        const whole = words.join('');
        const expected = toJson(scan([whole]));
        const differing = splitsOf(whole, { seed, count: 10 }).filter(
          (pieces) => toJson(scan(pieces)) !== expected,
        );
        expect(differing).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

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
  ])('reads attributes %s', (_name, input, attributes) => {
    expect([...parseAttributes(input)]).toEqual(Object.entries(attributes));
  });
});
