import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isServiceError } from '@witan/contracts';
import type { JsonObject } from '../json/json-value.ts';
import { chatCompletions } from './dialect.ts';

const REQUEST = readFileSync(new URL('golden/agent-loop.request.json', import.meta.url), 'utf8');
const STREAM = readFileSync(new URL('golden/answer-stream.txt', import.meta.url), 'utf8')
  .split('\n\n')
  .map((frame) => frame.slice('data: '.length))
  .filter((data) => data.startsWith('{'));
const ANSWER = JSON.stringify({
  choices: [
    {
      index: 0,
      message: {
        content: [{ type: 'text', text: 'a' }],
        refusal: 'b',
        reasoning_content: 'c',
        tool_calls: [{ id: 'd', type: 'function', function: { name: 'e', arguments: '{}' } }],
      },
    },
  ],
});
const ERROR = JSON.stringify({ error: { message: 'a', type: 'b', param: 'c', code: 'd' } });

/**
 * Generates variants of the body in which one value, at any depth, is replaced by arbitrary JSON or
 * removed.
 */
const broken = (body: string): fc.Arbitrary<JsonObject> => {
  const values = countValues(JSON.parse(body));
  const replacement = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined });
  return fc.tuple(fc.nat(values - 1), replacement).map(([index, value]) => {
    let position = 0;
    const parsed: unknown = JSON.parse(body, (key, original: unknown) =>
      key !== '' && position++ === index ? value : original,
    );
    // The body is converted to JSON and back, so that an element removed from a list becomes null
    // instead of a hole.
    return JSON.parse(JSON.stringify(parsed)) as JsonObject;
  });
};

const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, member) => sum + 1 + countValues(member), 0)
    : 0;

describe('the chat-completions dialect', () => {
  it('accepts any answer body', () => {
    fc.assert(
      fc.property(fc.oneof(broken(ANSWER), broken(ERROR)), (body) => {
        chatCompletions.createAnswer().body(body);
        expect(chatCompletions.decodeResponse(body).pieces).toEqual(expect.any(Array));
        expect(chatCompletions.decodeError(body)).toEqual({
          message: expect.any(String),
          code: expect.any(String),
          param: expect.any(String),
        });
      }),
    );
  });

  it('accepts any frames of a stream', () => {
    const frames = fc.tuple(...STREAM.map((data) => broken(data)));
    fc.assert(
      fc.property(frames, (values) => {
        const decoder = chatCompletions.createStreamDecoder();
        for (const value of values) {
          expect(chatCompletions.readFrame(JSON.stringify(value)).kind).toEqual(expect.any(String));
          decoder.push(value);
        }
        expect(decoder.end()).toEqual(expect.any(Array));
      }),
    );
  });

  it('reads any request, and reports a reason and a path if it cannot be decoded', () => {
    fc.assert(
      fc.property(broken(REQUEST), (body) => {
        const summary = chatCompletions.readRequest(body);
        chatCompletions.toEgressEdits(summary, { model: 'm', maxOutputTokens: 5 });
        expect(chatCompletions.readSignals(body).promptLength).toBeGreaterThanOrEqual(0);
        expect(chatCompletions.insertPreamble(JSON.stringify(body), 'P')).toEqual(
          expect.any(String),
        );
        expect(decodeOrReason(body)).toMatch(/^$|^INVALID_REQUEST [a-z_]+/);
      }),
      { numRuns: 500 },
    );
  });
});

const decodeOrReason = (body: JsonObject): string => {
  try {
    const { conversation } = chatCompletions.decodeRequest(body);
    chatCompletions.encodeRequest(conversation, { model: 'm', maxOutputTokens: 5 });
    return '';
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return `${error.reason} ${error.fields.param}`;
  }
};
