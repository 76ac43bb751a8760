import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createMessageAnswer } from './message-answer.ts';
import { toInputArguments } from './answer.ts';

const tool = (input?: unknown) => ({ type: 'tool_use', id: 'a', name: 'f', input });
const blockStart = (index: number, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const inputDelta = (index: number, partial_json: unknown) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
});

function callsOf(...events: unknown[]) {
  const answer = createMessageAnswer();
  for (const event of events) answer.chunk(event);
  return answer.choices()[0]?.toolCalls;
}

/**
 * Returns the arguments that a complete message with this input yields. Input that is a text
 * contains the arguments as the model wrote them.
 */
function plainArguments(json: string): string | undefined {
  const answer = createMessageAnswer();
  const input = typeof JSON.parse(json) === 'string' ? JSON.stringify(json) : json;
  answer.body(JSON.parse(`{"content":[{"type":"tool_use","input":${input}}]}`));
  return answer.choices()[0]?.toolCalls[0]?.arguments;
}

describe('the arguments of a tool call in the messages dialect', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  it.each([
    ['a number with an empty fraction', '{"n": 1.0}', '{"n":1}'],
    ['an integer beyond 2^53', '{"n":12345678901234567890}', '{"n":12345678901234567000}'],
    ['a number beyond doubles', '[1e400, -0, 1e21]', '[null,0,1e+21]'],
    ['a member twice', '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['keys that engines reorder', '{"b":1,"2":1,"__proto__":1}', '{"2":1,"__proto__":1,"b":1}'],
    ['a lone surrogate', String.raw`{"s":"\ud800"}`, String.raw`{"s":"\ud800"}`],
    ['white space', ' { } ', '{}'],
    ['null', 'null', 'null'],
    ['a text', '"x"', '"x"'],
    ['1,000 levels', nested(1000), nested(1000)],
    ['more levels than a canonical text may have', nested(1001), ''],
  ])('are the same streamed and plain: %s', (_name, json, canonical) => {
    const middle = json.length >> 1;
    const pieces = [json.slice(0, middle), json.slice(middle)].map((piece) => inputDelta(0, piece));
    expect(plainArguments(json)).toBe(canonical);
    expect(callsOf(blockStart(0, tool({})), ...pieces)?.[0]?.arguments).toBe(canonical);
    expect(toInputArguments(json)).toBe(canonical);
  });

  it('are the same streamed and plain for any JSON, white space and split', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), fc.integer({ min: 1, max: 9 }), (json, spaces, size) => {
        const spacedJson = JSON.stringify(JSON.parse(json), null, spaces);
        const pieces = spacedJson.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
        const events = [blockStart(0, tool({})), ...pieces.map((piece) => inputDelta(0, piece))];
        expect(callsOf(...events)?.[0]?.arguments).toBe(plainArguments(json));
      }),
    );
  });

  it.each<[string, unknown[], string]>([
    ['no input', [blockStart(0, tool())], '{}'],
    ['an empty input', [blockStart(0, tool({})), inputDelta(0, '')], '{}'],
    ['a complete input', [blockStart(0, tool({ b: 1, a: 2 }))], '{"a":2,"b":1}'],
    ['a complete input and an empty delta', [blockStart(0, tool([1])), inputDelta(0, '')], '[1]'],
    ['a truncated input', [blockStart(0, tool({})), inputDelta(0, '{"city": "Os')], '{"city": "Os'],
    [
      'deltas of the wrong type',
      [blockStart(0, tool({})), inputDelta(0, 7), inputDelta(0, null)],
      '{}',
    ],
  ])('are collected from a stream with %s', (_name, events, canonical) => {
    expect(callsOf(...events)).toEqual([{ id: 'a', name: 'f', arguments: canonical }]);
  });

  it('are joined per block if blocks overlap', () => {
    const calls = callsOf(
      blockStart(0, { type: 'tool_use', id: 'b' }),
      blockStart(1, { type: 'tool_use', id: 'c' }),
      inputDelta(0, '['),
      inputDelta(1, '{'),
      inputDelta(0, '1]'),
      inputDelta(1, '}'),
    );
    expect(calls?.map(({ id, arguments: json }) => id + json)).toEqual(['b[1]', 'c{}']);
  });
});
