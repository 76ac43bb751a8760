import assert from 'node:assert/strict';
import { validateHeaderValue } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { DIALECTS, readJsonAnswer } from '@witan/dialects';
import { createSseSplitter, parseCertificate, parseSavedAnswer, ProofError } from '@witan/proof';
import fc from 'fast-check';
import { parseModelAddress } from '../src/auth/scope.ts';
import { toHeaderList, toHeaderText } from '../src/http/route.ts';
import { readLastEventId } from '../src/resources/conversations/debate-position.ts';
import { hostileText, hostileValue, corruptedValue, TRIES } from './hostile-values.ts';

const ignoreRefusals = <Value>(
  read: () => Value,
  isRefusal: (error: unknown) => boolean,
): Value | undefined => {
  try {
    return read();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return undefined;
  }
};

const isInvalid = (error: unknown): boolean =>
  isServiceError(error) && ['INVALID_REQUEST', 'NOT_IMPLEMENTED'].includes(error.reason);
const isProofError = (error: unknown): boolean => error instanceof ProofError;

const addressPart = fc.oneof(
  hostileText,
  fc.constantFrom('agent:', 'debate:', 'service-auto', 'service-sensitive', 'gpt-4o', ':', ' '),
);
const flag = fc.constantFrom('+knowledge', '+sensitive', '+Sensitive ', '+', '+sensitive:x', '++');
const address = fc
  .tuple(fc.array(addressPart, { maxLength: 3 }), fc.array(flag, { maxLength: 3 }))
  .map(([modelText, flags]) => [...modelText, ...flags].join(''));

describe('hostile text', () => {
  it('is parsed as an address or refused, and +sensitive always applies', () => {
    const property = fc.property(address, (text) => {
      const read = ignoreRefusals(() => parseModelAddress(text), isInvalid);
      if (!read) return;
      expect(read.requested).toBe(text);
      const local = ignoreRefusals(() => parseModelAddress(`${text}+sensitive`), isInvalid);
      expect(local?.sensitive).toBe(true);
      expect(local?.kind).toBe(read.kind);
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });

  it('is always encoded as a valid header value', () => {
    const property = fc.property(fc.array(hostileText, { maxLength: 5 }), (modelText) => {
      const list = toHeaderList(modelText);
      validateHeaderValue('x-test', list);
      expect(list).toMatch(/^[\x20-\x7e]*$/);
      for (const item of modelText) expect(toHeaderText(item).length).toBeLessThanOrEqual(131);
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });

  it('is parsed as an event id or refused', () => {
    const text = fc.oneof(
      hostileText,
      fc.tuple(fc.constant('dbt_'), fc.stringMatching(/^\w{0,4}:\d{0,12}$/)).map((t) => t.join('')),
    );
    const property = fc.property(text, (header) => {
      const request = { get: () => header } as unknown as Parameters<
        typeof readLastEventId
      >[0]['request'];
      const position = ignoreRefusals(() => readLastEventId({ request }), isInvalid);
      if (position) assert.equal(`${position.debateId}:${position.afterSeq}`, header);
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });

  it('is parsed as a JSON object or refused if a model wrote it', () => {
    const piece = fc.oneof(
      hostileText,
      fc.constantFrom(
        '{',
        '}',
        '[',
        '"',
        ':',
        ',',
        '```json\n',
        '```',
        '\\',
        '\\u12',
        'null',
        '//',
      ),
      fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const property = fc.property(text, fc.boolean(), (modelText, isCut) => {
      const answer = readJsonAnswer(modelText, { isCut });
      if ('object' in answer) {
        assert.equal(Object.getPrototypeOf(answer.object), Object.prototype);
        assert.deepEqual(JSON.parse(JSON.stringify(answer.object)), answer.object);
      } else assert.notEqual(answer.error.kind, '');
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });
});

const CHAT_BODY = {
  model: 'gpt-test',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    {
      role: 'user',
      content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,' } }],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '3' },
  ],
  tools: [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }],
  tool_choice: { type: 'function', function: { name: 'add' } },
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } },
  stop: ['x'],
  temperature: 1,
  max_tokens: 10,
};
const MESSAGES_BODY = {
  model: 'claude-test',
  max_tokens: 64,
  system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Add.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '3' }] },
  ],
  tools: [{ name: 'add', input_schema: { type: 'object' } }],
  tool_choice: { type: 'tool', name: 'add' },
  thinking: { type: 'enabled', budget_tokens: 32 },
};
const CHAT_CHUNK = {
  id: 'x',
  choices: [
    {
      index: 0,
      delta: { content: 'a', tool_calls: [{ index: 0, id: 'c', function: { arguments: '{' } }] },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const MESSAGES_EVENTS = {
  all: [
    { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 1 } } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 't', name: 'a' },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{' },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  ],
};

describe.each([
  ['chat-completions', CHAT_BODY, { all: [CHAT_CHUNK, CHAT_CHUNK] }],
  ['messages', MESSAGES_BODY, MESSAGES_EVENTS],
] as const)('a hostile body of the %s dialect', (name, body, stream) => {
  const dialect = DIALECTS[name];

  it('is decoded or refused, and a decoded request can be encoded again', () => {
    const property = fc.property(corruptedValue(body), (bad) => {
      dialect.readRequest(bad);
      dialect.readSignals(bad);
      const decoded = ignoreRefusals(() => dialect.decodeRequest(bad), isInvalid);
      if (!decoded) return;
      const target = { model: 'm', maxOutputTokens: 100 };
      for (const other of Object.values(DIALECTS)) {
        const sent = ignoreRefusals(
          () => other.encodeRequest(decoded.conversation, target),
          isInvalid,
        );
        if (sent) JSON.parse(sent.body);
      }
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });

  it('is decoded from a malformed stream without throwing', () => {
    const property = fc.property(corruptedValue(stream), ({ all }) => {
      const decoder = dialect.createStreamDecoder();
      const answerGatherer = dialect.createAnswer();
      for (const frame of Array.isArray(all) ? (all as unknown[]) : []) {
        const read = dialect.readFrame(JSON.stringify(frame));
        if (!read.value) continue;
        const pieces = decoder.push(read.value);
        expect(pieces.every(({ case: kind }) => kind !== undefined)).toBe(true);
        answerGatherer.chunk(read.value);
      }
      decoder.end();
      expect(answerGatherer.contentBytes).toBeGreaterThanOrEqual(0);
      expect(decoder.bufferedSize).toBeGreaterThanOrEqual(0);
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });

  it('is always decoded into an error with texts', () => {
    const error = { error: { message: 'no', type: 'x', code: 'y', param: 'z' }, type: 'error' };
    const property = fc.property(corruptedValue(error), (bad) => {
      const decoded = dialect.decodeError(bad);
      expect(Object.values(decoded).every((item) => typeof item === 'string')).toBe(true);
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });
});

describe('hostile bytes', () => {
  const line = fc.oneof(
    hostileText,
    fc.constantFrom(
      'data: {"a":1}',
      'data:[DONE]',
      ': beat',
      'event: x',
      '\n',
      '\r\n',
      '\r',
      '\n\n',
    ),
    hostileValue.map((value) => `data: ${JSON.stringify(value)}\n\n`),
  );
  const stream = fc.array(line, { maxLength: 12 }).map((lines) => Buffer.from(lines.join('')));

  it('of a stream are split into the same frames at any chunk boundaries', () => {
    const property = fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (bytes, cuts) => {
      const ends = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b);
      const pieces = [...ends, bytes.length].map((end, index) =>
        bytes.subarray(ends[index - 1] ?? 0, end),
      );
      const splitChunks = (chunks: readonly Uint8Array[]) => {
        const splitter = createSseSplitter();
        const frames = chunks.flatMap((chunk) => splitter.push(chunk));
        const rest = splitter.end();
        return rest ? [...frames, rest] : frames;
      };
      const unsplit = splitChunks([bytes]);
      expect(Buffer.concat(unsplit.map((frame) => frame.bytes)).equals(bytes)).toBe(true);
      expect(splitChunks(pieces).map(({ data }) => data)).toEqual(unsplit.map(({ data }) => data));
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });

  it('are refused as certificate and as answer', () => {
    const text = fc.oneof(
      hostileText,
      hostileValue.map((value) => JSON.stringify(value)),
    );
    const property = fc.property(text, stream, (modelText, bytes) => {
      ignoreRefusals(() => parseCertificate(modelText), isProofError);
      ignoreRefusals(() => parseSavedAnswer(bytes), isProofError);
    });
    expect(() => fc.assert(property, TRIES)).not.toThrow();
  });
});
