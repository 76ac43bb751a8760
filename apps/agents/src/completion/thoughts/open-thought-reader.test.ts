import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitsOf } from '../../../test/splits-of.ts';
import { openThoughtReader } from './open-thought-reader.ts';

function read(pieces: readonly string[]) {
  const reader = openThoughtReader();
  const shownText = pieces.map((piece) => reader.push(piece)).join('');
  const { text, thoughts } = reader.end();
  return { text: shownText + text, thoughts };
}

const ROWS: [name: string, input: string, text: string, thoughts: string][] = [
  ['none', 'a < b, <b>c</b> <think', 'a < b, <b>c</b> <think', ''],
  ['a block', '<thinking>hm</thinking>Yes.', 'Yes.', 'hm'],
  ['white space around it', '<thinking>\n hm\n</thinking>\n\nYes.\n', 'Yes.\n', 'hm'],
  ['a block in the middle', 'A.\n<think>hm</think>\nB.', 'A.\nB.', 'hm'],
  ['a block in a line', 'A <think>hm</think> B<think>!</think> C', 'A B C', 'hm\n\n!'],
  [
    'each alias',
    '<think>1</think><Reasoning>2</REASONING><reflection>3</reflection>x',
    'x',
    '1\n\n2\n\n3',
  ],
  ['attributes', '<thinking type="deep > 1">hm</thinking >x', 'x', 'hm'],
  ['no closing tag', 'a <thinking>b</think> c', 'a ', 'b</think> c'],
  ['a closing tag that is cut off', 'a <thinking>b</thinking', 'a ', 'b</thinking'],
  ['a closing tag without its >', 'a <thinking>b</thinking ', 'a ', 'b'],
  ['an opening tag that is cut off', 'a <thinking why="', 'a ', ''],
  [
    'a nested tag of the same name',
    '<think>a<think>b</think>c</think>d',
    'd',
    'a<think>b</think>c',
  ],
  [
    'another tag inside',
    '<think>a<reflection>b</reflection>c</think>d',
    'd',
    'a<reflection>b</reflection>c',
  ],
  ['an incomplete tag inside', '<think>a <think b < c</think>d', 'd', 'a <think b < c'],
  ['an empty tag inside', '<think>a<think/>b</think>c', 'c', 'a<think/>b'],
  ['a stray closing tag', 'a</thinking> b', 'a b', ''],
  ['an empty tag', 'a <thinking/> b', 'a b', ''],
  ['an empty block', '<thinking> </thinking>', '', ''],
  ['a longer tag name', '<thinker>a</thinker>', '<thinker>a</thinker>', ''],
  ['a memory inside', '<think><MEMORY key=a>x</MEMORY></think>y', 'y', '<MEMORY key=a>x</MEMORY>'],
];

describe('openThoughtReader', () => {
  it.each(ROWS)(
    'removes thoughts from an answer with %s, at any split',
    (_name, input, text, thoughts) => {
      expect(read([input])).toEqual({ text, thoughts });
      for (let cut = 0; cut <= input.length; cut += 1)
        expect(read([input.slice(0, cut), input.slice(cut)])).toEqual({ text, thoughts });
      expect(read(input.split(''))).toEqual({ text, thoughts });
    },
  );

  it('puts reasoning of the provider before thoughts in tags', () => {
    const reader = openThoughtReader();
    reader.push('<think>second');
    reader.pushReasoning('fi');
    reader.pushReasoning('rst\n');
    reader.push('</think>answer');
    expect(reader.end().thoughts).toBe('first\n\nsecond');
  });

  it('is independent of how the answer is split and never shows thoughts', () => {
    const tag = fc.constantFrom(
      '<think>',
      '</think>',
      '<thinking a="',
      '>',
      '</thinking>',
      '<reason',
    );
    const word = fc.oneof(tag, fc.constantFrom('ing>', ' ', '\n', 'ë😀', '<', '</reasoning>', 'x'));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 16 }), fc.nat(), (words, seed) => {
        const input = words.join('');
        const unsplit = JSON.stringify(read([input]));
        const differing = splitsOf(input, { seed, count: 20 }).filter(
          (pieces) => JSON.stringify(read(pieces)) !== unsplit,
        );
        expect(differing).toEqual([]);
        const inside = input.replaceAll(/thinking|"/g, '');
        expect(read([`<thinking>${inside} SECRET</thinking>end`]).text).toBe('end');
      }),
      { numRuns: 200 },
    );
  });
});

describe('openThoughtReader with mayBeginInside', () => {
  const readInside = (pieces: readonly string[], ending?: { isCut: boolean }) => {
    const reader = openThoughtReader({ mayBeginInside: true });
    const shownText = pieces.map((piece) => reader.push(piece)).join('');
    const { text, thoughts } = reader.end(ending);
    return { text: shownText + text, thoughts };
  };

  it.each([
    ['up to the closing tag', 'hm <b>\n</think>\n\nYes.', 'Yes.', 'hm <b>'],
    ['up to a closing tag of another name', 'hm</Thinking >Yes.', 'Yes.', 'hm'],
    ['that are empty', '\n\n</think>\n\nYes.', 'Yes.', ''],
    ['up to a closing tag that is cut off', 'hm</think ', '', 'hm'],
    ['only before the first closing tag', 'hm</think>Yes.</think> No.', 'Yes. No.', 'hm'],
    ['and a later block', 'a</think>b <think>c</think>d', 'b d', 'a\n\nc'],
    ['but nothing without a closing tag', 'Yes, a < b. <think', 'Yes, a < b. <think', ''],
    ['but nothing before a block', 'A.\n<think>hm</think>\nB.', 'A.\nB.', 'hm'],
    ['but nothing after a block', '<thinking>a</think>b</thinking>c', 'c', 'a</think>b'],
  ])('removes thoughts %s, at any split', (_name, input, text, thoughts) => {
    expect(readInside([input])).toEqual({ text, thoughts });
    for (let cut = 0; cut <= input.length; cut += 1)
      expect(readInside([input.slice(0, cut), input.slice(cut)])).toEqual({ text, thoughts });
    expect(readInside(input.split(''))).toEqual({ text, thoughts });
  });

  it('treats all of a cut-off answer as thoughts', () => {
    expect(readInside(['hm, ', 'so'], { isCut: true })).toEqual({ text: '', thoughts: 'hm, so' });
    const answered = { text: 'Yes, so', thoughts: 'hm' };
    expect(readInside(['hm</think>Yes, ', 'so'], { isCut: true })).toEqual(answered);
    expect(readInside(['<think>hm</think>Yes, so'], { isCut: true })).toEqual(answered);
  });

  it('shows text once the provider has sent separate reasoning', () => {
    const reader = openThoughtReader({ mayBeginInside: true });
    expect(reader.push('\n')).toBe('');
    reader.pushReasoning('hm');
    expect(reader.push('Yes')).toBe('\nYes');
    expect(reader.end({ isCut: true })).toEqual({ text: '', thoughts: 'hm' });
  });

  it('shows text once the model has opened a block', () => {
    const reader = openThoughtReader({ mayBeginInside: true });
    expect(reader.push('<think>hm</think>Yes')).toBe('Yes');
    expect(reader.push(', so')).toBe(', so');
  });

  it('never shows thoughts, at random splits', () => {
    const word = fc.constantFrom(...['<', '>', '</', 'think', ' ', '\n', '/', 'x', '<b>', '😀']);
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.nat(), (words, seed) => {
        // `think` is replaced, because an incomplete tag in the random words would hide the end of
        // the text.
        const input = `${words.join('').replaceAll('think', 'thin')}SECRET.</thinking>end`;
        const differing = splitsOf(input, { seed, count: 20 }).filter(
          (pieces) => readInside(pieces).text !== 'end',
        );
        expect(differing).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('NUL', () => {
  it('is dropped and cannot hide a tag', () => {
    expect(read(['a\0<th', '\0ink>h\0m</think>b\0'])).toEqual({ text: 'ab', thoughts: 'hm' });
  });

  it('is dropped from reasoning that is streamed separately', () => {
    const reader = openThoughtReader();
    reader.pushReasoning('h\0');
    reader.pushReasoning('\0m');
    expect(reader.end()).toEqual({ text: '', thoughts: 'hm' });
  });
});
