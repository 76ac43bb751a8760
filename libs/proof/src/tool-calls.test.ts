import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createMessageAnswer } from './message-answer.ts';
import { toInputArguments } from './tool-calls.ts';

const tool = (input?: unknown) => ({ type: 'tool_use', id: 'a', name: 'f', input });
const opened = (index: number, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const grown = (index: number, partial_json: unknown) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
});

function callsOf(...events: unknown[]) {
  const answer = createMessageAnswer();
  for (const event of events) answer.chunk(event);
  return answer.choices()[0]?.toolCalls;
}

/** In a whole message, an input that is a text contains the arguments as the model wrote them. */
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
    ['keys that engines order', '{"b":1,"2":1,"__proto__":1}', '{"2":1,"__proto__":1,"b":1}'],
    ['a lone surrogate', String.raw`{"s":"\ud800"}`, String.raw`{"s":"\ud800"}`],
    ['white space', ' { } ', '{}'],
    ['null', 'null', 'null'],
    ['a text', '"x"', '"x"'],
    ['1,000 levels', nested(1000), nested(1000)],
    ['more levels than have a canonical text', nested(1001), ''],
  ])('are the same streamed and plain: %s', (_name, json, canonical) => {
    const half = json.length >> 1;
    const pieces = [json.slice(0, half), json.slice(half)].map((piece) => grown(0, piece));
    expect(plainArguments(json)).toBe(canonical);
    expect(callsOf(opened(0, tool({})), ...pieces)?.[0]?.arguments).toBe(canonical);
    expect(toInputArguments(json)).toBe(canonical);
  });

  it('are the same streamed and plain for any JSON, however written and cut', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(4), fc.integer({ min: 1, max: 9 }), (json, spaces, size) => {
        const spaced = JSON.stringify(JSON.parse(json), null, spaces);
        const pieces = spaced.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
        const events = [opened(0, tool({})), ...pieces.map((piece) => grown(0, piece))];
        expect(callsOf(...events)?.[0]?.arguments).toBe(plainArguments(json));
      }),
    );
  });

  it.each<[string, unknown[], string]>([
    ['no input', [opened(0, tool())], '{}'],
    ['an empty one', [opened(0, tool({})), grown(0, '')], '{}'],
    ['one that came whole', [opened(0, tool({ b: 1, a: 2 }))], '{"a":2,"b":1}'],
    ['one that came whole, with an empty piece', [opened(0, tool([1])), grown(0, '')], '[1]'],
    ['pieces in place of the whole', [opened(0, tool({ b: 1 })), grown(0, '{"c":1}')], '{"c":1}'],
    ['a text cut off', [opened(0, tool({})), grown(0, '{"city": "Os')], '{"city": "Os'],
    ['pieces of the wrong type', [opened(0, tool({})), grown(0, 7), grown(0, null)], '{}'],
  ])('streamed with %s', (_name, events, canonical) => {
    expect(callsOf(...events)).toEqual([{ id: 'a', name: 'f', arguments: canonical }]);
  });

  it('are put together by block when blocks overlap or an index comes again', () => {
    const calls = callsOf(
      opened(1, { type: 'tool_use', id: 'b' }),
      opened(2, { type: 'tool_use', id: 'c' }),
      grown(1, '['),
      grown(2, '{'),
      grown(1, '1]'),
      grown(2, '}'),
      opened(1, { type: 'tool_use', id: 'd' }),
      grown(1, '2'),
      opened(1, { type: 'server_tool_use', id: 'e' }),
      grown(1, '3'),
    );
    expect(calls?.map(({ id, arguments: json }) => id + json)).toEqual(['b[1]', 'c{}', 'd2']);
  });
});
