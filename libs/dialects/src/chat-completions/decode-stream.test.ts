import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AnswerPiece } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { createStreamDecoder } from './decode-stream.ts';

const chunk = (delta: object): JsonObject => ({ choices: [{ index: 0, delta }] });
const call = (
  index: number | undefined,
  piece: { id?: string; name?: string; argumentsValue?: unknown },
) =>
  chunk({
    tool_calls: [
      { index, id: piece.id, function: { name: piece.name, arguments: piece.argumentsValue } },
    ],
  });
const text = (value: string): AnswerPiece => ({ case: 'text', value });
const start = (id: string, name: string): AnswerPiece => ({
  case: 'toolCall',
  value: { id, name },
});
const argumentsPiece = (value: string): AnswerPiece => ({ case: 'toolArguments', value });

const decode = (...chunks: JsonObject[]): AnswerPiece[][] => {
  const decoder = createStreamDecoder();
  return [...chunks.map((input) => decoder.push(input)), decoder.end()];
};

describe('createStreamDecoder', () => {
  it('emits text, reasoning and refusals immediately', () => {
    expect(
      decode(
        chunk({ role: 'assistant', content: '' }),
        chunk({ reasoning_content: 'hm' }),
        chunk({ reasoning: 'hm' }),
        chunk({ content: 'a' }),
        chunk({ content: null, refusal: 'no' }),
        chunk({}),
      ),
    ).toEqual([
      [],
      [{ case: 'reasoning', value: 'hm' }],
      [{ case: 'reasoning', value: 'hm' }],
      [text('a')],
      [{ case: 'refusal', value: 'no' }],
      [],
      [],
    ]);
  });

  it('emits arguments immediately', () => {
    expect(
      decode(
        call(0, { id: 'a', name: 'f', argumentsValue: '' }),
        call(0, { argumentsValue: '{"x"' }),
        call(0, { argumentsValue: ':1}' }),
        call(1, { id: 'b', name: 'g', argumentsValue: '{}' }),
      ),
    ).toEqual([
      [start('a', 'f')],
      [argumentsPiece('{"x"')],
      [argumentsPiece(':1}')],
      [start('b', 'g'), argumentsPiece('{}')],
      [],
    ]);
  });

  it('accepts calls that arrive with all arguments in one chunk', () => {
    const calls = ['a', 'b'].map((id, index) => ({
      index,
      id,
      type: 'function',
      function: { name: 'f', arguments: '{"x":1}' },
    }));
    expect(decode(chunk({ tool_calls: calls }))).toEqual([
      [start('a', 'f'), argumentsPiece('{"x":1}'), start('b', 'f'), argumentsPiece('{"x":1}')],
      [],
    ]);
  });

  it('ignores an empty list of tool calls', () => {
    expect(decode(chunk({ tool_calls: [], content: 'a' }))).toEqual([[text('a')], []]);
  });

  it('buffers a second call until the arguments of the first are complete', () => {
    expect(
      decode(
        call(0, { id: 'a', name: 'f', argumentsValue: '{"x":' }),
        call(1, { id: 'b', name: 'g', argumentsValue: '{"y":' }),
        chunk({ content: 'between' }),
        call(1, { argumentsValue: '2}' }),
        call(0, { argumentsValue: '1}' }),
      ),
    ).toEqual([
      [start('a', 'f'), argumentsPiece('{"x":')],
      [],
      [],
      [],
      [argumentsPiece('1}'), start('b', 'g'), argumentsPiece('{"y":2}'), text('between')],
      [],
    ]);
  });

  it('emits incomplete calls at the end', () => {
    expect(
      decode(
        call(0, { id: 'a', name: 'f' }),
        call(1, { id: 'b', name: 'g', argumentsValue: '{"y"' }),
        chunk({ content: 'z' }),
      ),
    ).toEqual([[start('a', 'f')], [], [], [start('b', 'g'), argumentsPiece('{"y"'), text('z')]]);
  });

  it('waits for the name of a call', () => {
    expect(
      decode(
        call(0, { id: 'a', argumentsValue: '{}' }),
        chunk({ content: 'z' }),
        call(0, { name: 'f' }),
        call(1, { id: 'b', argumentsValue: '{}' }),
      ),
    ).toEqual([
      [],
      [],
      [start('a', 'f'), argumentsPiece('{}'), text('z')],
      [],
      [start('b', ''), argumentsPiece('{}')],
    ]);
  });

  it('distinguishes calls without an index by id, and continues the last call without an id', () => {
    expect(
      decode(
        call(undefined, { id: 'a', name: 'f', argumentsValue: '{' }),
        call(undefined, { argumentsValue: '}' }),
        call(undefined, { id: 'b', name: 'g', argumentsValue: '{' }),
        call(undefined, { id: 'b', argumentsValue: '}' }),
      ).flat(),
    ).toEqual([
      start('a', 'f'),
      argumentsPiece('{'),
      argumentsPiece('}'),
      start('b', 'g'),
      argumentsPiece('{'),
      argumentsPiece('}'),
    ]);
  });

  it('distinguishes complete calls with the same index', () => {
    expect(
      decode(
        call(0, { id: 'a', name: 'f', argumentsValue: '{"x":1}' }),
        call(0, { id: 'b', name: 'f', argumentsValue: '{"x":2}' }),
      ).flat(),
    ).toEqual([
      start('a', 'f'),
      argumentsPiece('{"x":1}'),
      start('b', 'f'),
      argumentsPiece('{"x":2}'),
    ]);
  });

  it('distinguishes calls without arguments with the same index', () => {
    expect(
      decode(
        call(0, { id: 'a', name: 'f', argumentsValue: '' }),
        call(0, { id: 'b', name: 'g', argumentsValue: '' }),
        chunk({ content: 'z' }),
      ),
    ).toEqual([[start('a', 'f')], [start('b', 'g')], [], [text('z')]]);
  });

  it('reports the buffered size, which returns to zero', () => {
    const decoder = createStreamDecoder();
    const lengths = [
      call(0, { id: 'a', name: 'f', argumentsValue: '{"x"' }),
      chunk({ content: 'twelve units' }),
      call(1, { id: 'b', name: 'g', argumentsValue: '{}' }),
      call(0, { argumentsValue: ':1}' }),
      call(2, { id: 'c', argumentsValue: '{}' }),
    ].map((piece) => {
      decoder.push(piece);
      return decoder.bufferedSize;
    });
    expect(lengths).toEqual([0, 64 + 12, 64 + 12 + 64 + 4, 0, 64 + 3]);
    decoder.end();
    expect(decoder.bufferedSize).toBe(0);
  });

  it('emits three hundred thousand buffered pieces', () => {
    const decoder = createStreamDecoder();
    decoder.push(call(0, { id: 'a', name: 'f', argumentsValue: '{' }));
    const delta = chunk({ content: 'x' });
    for (let number = 0; number < 300_000; number += 1) decoder.push(delta);
    expect(decoder.push(call(0, { argumentsValue: '}' }))).toHaveLength(300_001);
    expect(decoder.bufferedSize).toBe(0);
  });

  it('recognises one call although its id is repeated or changes', () => {
    expect(
      decode(
        call(0, { id: 'a', name: 'f', argumentsValue: '{' }),
        call(0, { id: 'a', name: 'f', argumentsValue: '"x":' }),
        call(0, { id: 'z', argumentsValue: '1}' }),
      ).flat(),
    ).toEqual([start('a', 'f'), argumentsPiece('{'), argumentsPiece('"x":'), argumentsPiece('1}')]);
  });

  it('assigns an id to calls without one, and accepts arguments that are objects', () => {
    expect(
      decode(
        call(0, { name: 'f', argumentsValue: { a: 1 } }),
        call(1, { name: 'g', argumentsValue: {} }),
      ).flat(),
    ).toEqual([
      start('call_0', 'f'),
      argumentsPiece('{"a":1}'),
      start('call_1', 'g'),
      argumentsPiece('{}'),
    ]);
  });

  it('decodes the first choice only', () => {
    const otherChoice = { choices: [{ index: 1, delta: { content: 'b' } }] };
    expect(decode(otherChoice, chunk({ content: 'a' }))).toEqual([[], [text('a')], []]);
  });

  it.each([
    {},
    { choices: [] },
    { choices: [null] },
    { choices: [{ delta: 'x' }] },
    chunk({ content: 5, refusal: {}, reasoning: [], tool_calls: 'x' }),
    chunk({ tool_calls: [null, 'x'] }),
  ])('returns empty members for %j instead of throwing', (value) => {
    expect(decode(value)).toEqual([[], []]);
  });

  it('never overlaps calls and never loses a character, in any order of pieces', () => {
    const argument = fc.dictionary(fc.string(), fc.json()).map((value) => JSON.stringify(value));
    const cuts = fc.array(fc.nat(40), { maxLength: 6 });
    const scenario = fc.record({
      calls: fc.array(fc.tuple(argument, cuts), { minLength: 1, maxLength: 4 }),
      order: fc.infiniteStream(fc.nat(4)),
    });
    fc.assert(
      fc.property(scenario, ({ calls, order }) => {
        const { chunks, output } = interleave(calls, order);
        const pieces = decode(...chunks).flat();
        const sorted = gather(pieces);
        expect(sorted.calls).toEqual(calls.map(([value], index) => [`c${index}`, value]));
        expect(sorted.text).toBe(output);
      }),
    );
  });
});

const interleave = (calls: readonly [string, number[]][], order: Iterator<number>) => {
  const rest = calls.map(([value, cuts], index) => ({
    index,
    pieces: cut(value, cuts),
    isNew: true,
  }));
  const chunks: JsonObject[] = [];
  let output = '';
  let startedCalls = 0;
  while (rest.some(({ pieces }) => pieces.length > 0)) {
    const pick = Number(order.next().value);
    if (pick === 4) {
      output += chunks.length;
      chunks.push(chunk({ content: String(chunks.length) }));
    }
    const open = rest.filter(({ pieces, index }) => pieces.length > 0 && index <= startedCalls);
    const next = open[pick % open.length];
    if (!next) {
      startedCalls += 1;
      continue;
    }
    const head = next.isNew ? { id: `c${next.index}`, name: 'f' } : {};
    if (next.isNew) startedCalls = Math.max(startedCalls, next.index + 1);
    next.isNew = false;
    chunks.push(call(next.index, { ...head, argumentsValue: next.pieces.shift() }));
  }
  return { chunks, output };
};

const cut = (value: string, cuts: readonly number[]): string[] => {
  const starts = [0, ...cuts.map((offset) => offset % value.length).toSorted((a, b) => a - b)];
  return starts.map((from, index) => value.slice(from, starts[index + 1]));
};

const gather = (pieces: readonly AnswerPiece[]) => {
  const calls: [string, string][] = [];
  let output = '';
  let isOpen = false;
  for (const piece of pieces) {
    if (piece.case === 'toolCall') calls.push([piece.value.id ?? '', '']);
    else if (piece.case === 'toolArguments') {
      expect(isOpen).toBe(true);
      calls.at(-1)![1] += piece.value;
    } else if (piece.case === 'text') output += piece.value;
    isOpen = piece.case === 'toolCall' || piece.case === 'toolArguments';
  }
  return { calls, text: output };
};
