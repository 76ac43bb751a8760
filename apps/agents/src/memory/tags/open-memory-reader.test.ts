import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitsOf } from '../../../test/splits-of.ts';
import { MEMORY_KEY_LENGTH_MAX } from '../memory.ts';
import { openMemoryReader } from './open-memory-reader.ts';
import { MEMORY_LENGTH_MAX } from './to-memory-tag.ts';

function read(pieces: readonly string[]) {
  const reader = openMemoryReader();
  const shownText = pieces.map((piece) => reader.push(piece)).join('');
  const { text, memories, rejected } = reader.end();
  return { text: shownText + text, memories, rejected };
}

/**
 * Expected memories are written `keyNorm:type=value`, global ones with a trailing `*`; rejected
 * tags are written `keyNorm:reason`.
 */
type Row = [name: string, input: string, text: string, memories?: string[], rejected?: string[]];

const KEY = 'k'.repeat(MEMORY_KEY_LENGTH_MAX);
const LONGEST_MEMORY = 'x'.repeat(MEMORY_LENGTH_MAX);

const TAG_CASES: Row[] = [
  ['a tag in a line', 'Hi <MEMORY key="a" type="fact">x</MEMORY> there', 'Hi there', ['a:fact=x']],
  [
    'any case and no quotes',
    '<memory type=preference global=true key=city >Berlin</memory>ok',
    'ok',
    ['city:preference=Berlin*'],
  ],
  ['an incomplete tag at the end', 'a < b and <b>bold</b> <MEMO', 'a < b and <b>bold</b> <MEMO'],
  [
    'a tag in a tag',
    '<MEMORY key=a>one <MEMORY key=b>two</MEMORY> tail</MEMORY> end',
    ' tail end',
    ['b:note=two'],
    ['a:nested'],
  ],
  ['punctuation in a text', '<MEMORY key=q>5 < 6 & "q"</MEMORY>', '', ['q:note=5 < 6 & "q"']],
  ['a self-closing tag', 'a<MEMORY key=k/>b', 'ab', [], ['k:empty']],
  ['a tag without a key', 'a<MEMORY type=fact>x</MEMORY>b', 'ab', [], [':missing_key']],
  ['a tag without a text', 'a<MEMORY key=k> \n</MEMORY>b', 'ab', [], ['k:empty']],
  [
    'a text that is cut off',
    'text <MEMORY key="k" type="fact">cut',
    'text ',
    [],
    ['k:unterminated'],
  ],
  ['stray closing tags', 'a</MEMORY> b </memory\n> c', 'a b c'],
  ['a longer name', '<MEMORYX key="a">x</MEMORYX>', '<MEMORYX key="a">x</MEMORYX>'],
  ['a code fence', '```\n<MEMORY key=a>x</MEMORY>\n```', '```\n\n```', ['a:note=x']],
];

const MORE_TAG_CASES: Row[] = [
  [
    'bare self-closing tags',
    'a<MEMORY key="k" />b<memory/>',
    'ab',
    [],
    ['k:empty', ':missing_key'],
  ],
  ['a key of signs', 'a<MEMORY key="!?">x</MEMORY>b', 'ab', [], [':missing_key']],
  ['a tag without attributes', 'a<memory>y</memory>c', 'ac', [], [':missing_key']],
  ['a closing tag that is cut off', 'a <MEMORY key="k">cut</MEMORY ', 'a ', [], ['k:unterminated']],
  ['an opening tag that is cut off', 'a <MEMORY key="k', 'a ', [], [':unterminated']],
  [
    'a nested tag that is cut off',
    'a <MEMORY key=k>one <memory key="',
    'a ',
    [],
    ['k:unterminated', ':unterminated'],
  ],
  ['any white space', "<MEMORY\n\tkey = 'My  Key'  GLOBAL>x</MEMORY>", '', ['my_key:note=x*']],
  ['curly quotes', '<MEMORY key=“a” type=‘goal’ global=”true”>x</MEMORY>', '', ['a:goal=x*']],
  [
    'an unknown type, and not global',
    '<MEMORY key="a>b" type=opinion global="false">x</MEMORY>',
    '',
    ['a_b:note=x'],
  ],
  ['an attribute twice', '<MEMORY key=a key=b type=FACT>x</MEMORY>', '', ['a:fact=x']],
  [
    'a key twice',
    '<MEMORY key=a>1</MEMORY><MEMORY key=b>2</MEMORY><MEMORY key=A type=fact>3</MEMORY>',
    '',
    ['a:fact=3', 'b:note=2'],
  ],
  [
    'an incomplete tag in a text',
    '<MEMORY key=k>see <memory of x < y</MEMORY>',
    '',
    ['k:note=see <memory of x < y'],
  ],
  ['a C++ header', '#include <memory>\nint x;', '#include <memory>\nint x;'],
  ['a C++ header and a tag', '<memory>\n<MEMORY key=k>x</MEMORY> y', '<memory>\n y', ['k:note=x']],
  [
    'double spaces elsewhere',
    'a  b <MEMORY key=k>x</MEMORY> <MEMORY key=l>y</MEMORY>  c',
    'a  b  c',
    ['k:note=x', 'l:note=y'],
  ],
  ['NUL and a lone surrogate', '<MEMORY key=k>a\0b\ud800</MEMORY>', '', ['k:note=ab\ufffd']],
];

const LENGTH_CASES: Row[] = [
  [
    'a text of the maximum length',
    `<MEMORY key=k>${LONGEST_MEMORY}</MEMORY>`,
    '',
    [`k:note=${LONGEST_MEMORY}`],
  ],
  [
    'a text that is too long',
    `a<MEMORY key=k>${LONGEST_MEMORY}x</MEMORY>b`,
    'ab',
    [],
    ['k:too_long'],
  ],
  [
    'a text that is too long and cut off',
    `a<MEMORY key=k>${LONGEST_MEMORY}x`,
    'a',
    [],
    ['k:unterminated'],
  ],
  [
    'keys of the maximum length and longer',
    `<MEMORY key=${KEY}>x</MEMORY>a<MEMORY key=${KEY}b>y</MEMORY>b<MEMORY key="${'.'.repeat(128)}c">z</MEMORY>`,
    'ab',
    [`${KEY}:note=x`],
    [':missing_key', ':missing_key'],
  ],
  [
    'a long text after a C++ header',
    `<memory>${LONGEST_MEMORY}x</memory>!`,
    `<memory>${LONGEST_MEMORY}x!`,
  ],
];

describe('openMemoryReader', () => {
  it.each([...TAG_CASES, ...MORE_TAG_CASES, ...LENGTH_CASES])(
    'reads an answer with %s',
    (_name, input, text, memories = [], rejected = []) => {
      const result = read([input]);
      expect(result.text).toBe(text);
      const memoryTexts = result.memories.map(
        ({ keyNorm, type, value, isGlobal }) => `${keyNorm}:${type}=${value}${isGlobal ? '*' : ''}`,
      );
      expect(memoryTexts).toEqual(memories);
      expect(result.rejected.map(({ keyNorm, reason }) => `${keyNorm}:${reason}`)).toEqual(
        rejected,
      );
    },
  );

  it('returns a key in its original and its normalized form', () => {
    const { memories } = read(['<MEMORY key=" Home Town " type=fact>Ulm</MEMORY>']);
    expect(memories).toEqual([
      { key: 'Home Town', keyNorm: 'home_town', type: 'fact', value: 'Ulm', isGlobal: false },
    ]);
  });
});

describe('openMemoryReader with a streamed answer', () => {
  it.each([...TAG_CASES, ...MORE_TAG_CASES])(
    'does not depend on the position of a split: %s',
    (_name, input) => {
      const unsplit = read([input]);
      for (let cut = 0; cut <= input.length; cut += 1)
        expect(read([input.slice(0, cut), input.slice(cut)])).toEqual(unsplit);
      expect(read(input.split(''))).toEqual(unsplit);
    },
  );

  it.each(LENGTH_CASES)('does not depend on splits near the limits: %s', (_name, input) => {
    const unsplit = read([input]);
    for (let cut = input.length - 12; cut < input.length; cut += 1)
      expect(read([input.slice(0, cut), input.slice(cut)])).toEqual(unsplit);
    expect(read(input.split(''))).toEqual(unsplit);
  });

  it('does not depend on 20,000 random splits', () => {
    const word = fc.constantFrom(
      ...[
        '<MEMORY key=a>',
        '<memory key="b" global>',
        '</MEMORY>',
        '<memory>',
        '<memory',
        '</memor',
      ],
      ...['y', '<', '>', '/', '"', '’', '=', 'key', ' ', '  ', '\n', 'x', 'ë😀', '<b>'],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 16 }), fc.nat(), (words, seed) => {
        const input = words.join('');
        const unsplit = JSON.stringify(read([input]));
        const differing = splitsOf(input, { seed, count: 40 }).filter(
          (pieces) => JSON.stringify(read(pieces)) !== unsplit,
        );
        expect(differing).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, string]>([
    ['Hello ', 'Hello '],
    ['a < b <i>', 'a < b <i>'],
    ['a <', 'a '],
    ['a <Memor', 'a '],
    ['a <memory', 'a '],
    ['a </MEMORY', 'a '],
    ['a </memoryx', 'a </memoryx'],
    ['<<<<', '<<<'],
  ])('after %j immediately shows %j', (piece, shownText) => {
    expect(openMemoryReader().push(piece)).toBe(shownText);
  });

  it('delays at most 8 characters of text without a tag', () => {
    const word = fc.constantFrom('<', '/', 'memory', 'MEM', ' ', 'ë', '<b>', '</memor', 'x');
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const input = words.join('').replaceAll(/memory[\s/>]/gi, '');
        const delayed = input.length - openMemoryReader().push(input).length;
        expect(delayed).toBeLessThanOrEqual('</memory'.length);
        expect(read([input]).text).toBe(input);
      }),
    );
  });
});
