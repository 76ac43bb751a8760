import { describe, expect, it } from '@jest/globals';
import { createAnswerNormalizer } from './normalize.ts';

const HEAD = { id: 'c1', object: 'chat.completion.chunk', created: 7, model: 'm' };

type Members = Record<string, unknown>;

const chunk = (delta: unknown, finish_reason: unknown = null, index = 0): Members => ({
  ...HEAD,
  choices: [{ index, delta, finish_reason }],
});

const normalize = (chunks: readonly Members[]): Members[] => {
  const normalizer = createAnswerNormalizer();
  return chunks.flatMap((one) => normalizer.chunk(one));
};

const call = (name: string, more: Members = {}): Members => ({
  function: { name, arguments: '{}' },
  ...more,
});

/** Returns index, id and name of each piece of a tool call in the chunks. */
const piecesOf = (chunks: readonly Members[]): string[] =>
  chunks.flatMap((one) =>
    ((one.choices as { delta: { tool_calls?: Members[] } }[]) ?? []).flatMap(({ delta }) =>
      (delta.tool_calls ?? []).map(
        ({ index, id, function: called }) =>
          `${String(index)} ${String(id)} ${String((called as Members).name)}`,
      ),
    ),
  );

describe('a chunk in the form of the contract', () => {
  it.each<[string, Members]>([
    ['text', chunk({ content: 'a' })],
    ['a role', chunk({ role: 'assistant', content: '' })],
    ['an end', chunk({}, 'stop')],
    ['a usage chunk', { ...HEAD, choices: [], usage: { total_tokens: 3 } }],
    ['an unknown member', { ...chunk({ content: 'a', x: 1 }), y: [1] }],
    ['an error', { error: { message: 'No.', type: 'server_error', param: null, code: null } }],
    ['no chunk', { x: 1 }],
  ])('is the same object: %s', (_name, value) => {
    expect(normalize([value])[0]).toBe(value);
  });

  it('is the same object in a stream of tool calls', () => {
    const chunks = [
      chunk({ tool_calls: [{ index: 0, id: 'a', type: 'function', ...call('x') }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'b', type: 'function', ...call('x') }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '}' } }] }),
      chunk({}, 'tool_calls'),
    ];
    const normalized = normalize(chunks);
    for (const [index, value] of chunks.entries()) expect(normalized[index]).toBe(value);
  });
});

describe('tool calls', () => {
  it.each<[string, Members[], string[]]>([
    ['without an index', [call('x', { id: 'a' })], ['0 a x']],
    ['without an id', [call('x', { index: 0 })], ['0 call_0 x']],
    [
      'of which the second has the index of the first',
      [call('x', { index: 0, id: 'a' }), call('y', { index: 0, id: 'b' })],
      ['0 a x', '1 b y'],
    ],
    ['without index and id, each complete', [call('x'), call('y')], ['0 call_0 x', '1 call_1 y']],
    [
      'without an index, in pieces',
      [
        { id: 'a', function: { name: 'x', arguments: '{"a"' } },
        { id: '', type: '', function: { name: '', arguments: ':1}' } },
        { id: 'b', function: { name: 'y', arguments: '{}' } },
      ],
      ['0 a x', '0 undefined undefined', '1 b y'],
    ],
    [
      'whose id and name are repeated',
      [call('x', { index: 0, id: 'a' }), call('x', { index: 0, id: 'a' })],
      ['0 a x', '0 undefined undefined'],
    ],
  ])('%s get both', (_name, pieces, expected) => {
    expect(piecesOf(normalize(pieces.map((piece) => chunk({ tool_calls: [piece] }))))).toEqual(
      expected,
    );
  });

  it('of two choices are numbered separately', () => {
    const chunks = [0, 1].map((index) => chunk({ tool_calls: [call('x')] }, null, index));
    expect(piecesOf(normalize(chunks))).toEqual(['0 call_0 x', '0 call_0 x']);
  });

  it('get arguments that are text', () => {
    const object = { index: 0, id: 'a', function: { name: 'x', arguments: { city: 'Oslo' } } };
    expect(normalize([chunk({ tool_calls: [object] })])[0]).toMatchObject({
      choices: [{ delta: { tool_calls: [{ function: { arguments: '{"city":"Oslo"}' } }] } }],
    });
  });

  it('without an index end with tool_calls even if the provider says stop', () => {
    const [, end] = normalize([chunk({ tool_calls: [call('x', { id: 'a' })] }), chunk({}, 'stop')]);
    expect(end).toMatchObject({
      choices: [{ finish_reason: 'tool_calls', native_finish_reason: 'stop' }],
    });
  });

  it('that ended with tool_calls do not end again with stop', () => {
    const piece = { tool_calls: [{ index: 0, id: 'a', type: 'function', ...call('x') }] };
    const [, last] = normalize([chunk(piece, 'tool_calls'), chunk({}, 'stop')]);
    expect(last?.choices).toMatchObject([
      { finish_reason: 'tool_calls', native_finish_reason: 'stop' },
    ]);
  });

  it('that do not deviate may end with stop, as forced calls of OpenAI do', () => {
    const end = chunk({}, 'stop');
    const piece = { index: 0, id: 'a', type: 'function', ...call('x') };
    expect(normalize([chunk({ tool_calls: [piece] }), end])[1]).toBe(end);
  });
});

describe('chunks of a content filter', () => {
  it('without choices are merged into the next chunk', () => {
    const filtered = { id: '', object: '', created: 0, model: '', choices: [], filter: [1] };
    const text = chunk({ content: 'a' });
    expect(normalize([filtered, text])).toEqual([{ ...text, filter: [1] }]);
  });

  it('without a delta get an empty one, and the head of the stream', () => {
    const choice = { index: 0, finish_reason: null, content_filter_offsets: {} };
    const filtered = { id: '', object: '', created: 0, model: '', choices: [choice] };
    expect(normalize([chunk({ content: 'a' }), filtered])[1]).toEqual({
      ...HEAD,
      choices: [{ ...choice, delta: {} }],
    });
  });
});

describe('finish reasons', () => {
  it.each([
    ['model_length', 'length'],
    ['max_tokens', 'length'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'stop'],
  ])('that OpenAI does not have are replaced: %s', (reason, expected) => {
    const expectedChoice = { finish_reason: expected, native_finish_reason: reason };
    expect(normalize([chunk({}, reason)])[0]).toMatchObject({ choices: [expectedChoice] });
    const body = { choices: [{ index: 0, message: { content: 'a' }, finish_reason: reason }] };
    expect(createAnswerNormalizer().body(body)).toMatchObject({ choices: [expectedChoice] });
  });

  it.each(['error', 'abort', 'insufficient_system_resource'])(
    'of a failure make the answer an error: %s',
    (reason) => {
      const error = { type: 'server_error', param: null, code: 'upstream_error' };
      expect(normalize([chunk({}, reason)])[0]).toMatchObject({ error });
      const body = { choices: [{ index: 0, message: {}, finish_reason: reason }] };
      expect(createAnswerNormalizer().body(body)).toMatchObject({ error });
    },
  );
});

describe('a whole answer', () => {
  it('in the form of the contract is the same object', () => {
    const message = { role: 'assistant', content: 'a' };
    const body = { id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] };
    expect(createAnswerNormalizer().body(body)).toBe(body);
  });

  it('gets ids and types of tool calls', () => {
    const message = { tool_calls: [call('x'), call('y', { id: 'b' })] };
    const body = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
    expect(createAnswerNormalizer().body(body)).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            tool_calls: [
              { id: 'call_0', type: 'function', ...call('x') },
              { id: 'b', type: 'function', ...call('y') },
            ],
          },
        },
      ],
    });
  });
});
