import { describe, expect, it } from '@jest/globals';
import { failureOf, reasonOf } from '../test/reason-of.ts';
import { vectorText } from '../test/vector-file.ts';
import { examplePayload, REQUEST_BODY } from '../vectors/samples.ts';
import { commitAnswer } from './answer.ts';
import type { CertificatePayload, FinishReason } from './certificate.ts';
import { verifyRequest, verifyResponse } from './verify-content.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const PAYLOAD = examplePayload();

const endedWith = (finishReason: FinishReason): CertificatePayload => ({
  ...PAYLOAD,
  response: { ...PAYLOAD.response, finishReason },
});

const PLAIN = vectorText('response.json').replace('"choices"', '"model":"gpt-4o-mini","choices"');
const MESSAGE = vectorText('message.json').replace('"content"', '"model":"gpt-4o-mini","content"');
const STREAM = vectorText('response.txt');
const EVENTS = vectorText('message.txt');
const FINISH_FRAME = /data: .*"finish_reason":"stop".*\n\n/;
const DELTA_FRAME = /event: message_delta\ndata: .*\n\n/;
const ERROR_FRAME = 'data: {"error":{"message":"gone"}}\n\n';
const MESSAGE_ERROR = 'event: error\ndata: {"type":"error","error":{"message":"gone"}}\n\n';

const verify = (answer: string, payload = PAYLOAD) => verifyResponse(payload, bytes(answer));

describe('verifyResponse', () => {
  it.each([
    ['a chat completion', PLAIN, ['finish reason', 'usage', 'model']],
    ['its stream', STREAM, ['finish reason', 'usage']],
    ['a message', MESSAGE, ['finish reason', 'usage', 'model']],
    ['its stream of events', EVENTS, ['finish reason', 'usage']],
    ['a native answer', '{"content":"Hi Zoë! 👋"}', []],
  ])('lists the compared parts of %s', (_name, answer, more) => {
    expect(verify(answer).compared).toEqual(['text', 'tool calls', ...more]);
  });

  // Changes to a saved answer that the verification must detect.
  it.each([
    ['the finish reason length', PLAIN.replace('"stop"', '"length"'), 'finish_reason'],
    [
      'the finish reason content_filter',
      PLAIN.replace('"stop"', '"content_filter"'),
      'finish_reason',
    ],
    ['another total', PLAIN.replace('"total_tokens":17', '"total_tokens":999999'), 'usage'],
    ['other prompt tokens', PLAIN.replace('"prompt_tokens":13', '"prompt_tokens":1'), 'usage'],
    ['another model', PLAIN.replace('"gpt-4o-mini"', '"gpt-5"'), 'model'],
    ['a model name that is a prefix', PLAIN.replace('"gpt-4o-mini"', '"gpt-4o"'), 'model'],
    [
      'a repeated content',
      PLAIN.replace('"content":', '"content":"EVIL","content":'),
      'duplicate_key',
    ],
    [
      'an escaped repeated content',
      PLAIN.replace('"content":', '"c\\u006fntent":"EVIL","content":'),
      'duplicate_key',
    ],
    ['another text', PLAIN.replace('Hi', 'Ho'), 'response'],
    ['a stop reason of a message', MESSAGE.replace('end_turn', 'max_tokens'), 'finish_reason'],
    [
      'the output tokens of a message',
      MESSAGE.replace('"output_tokens":4', '"output_tokens":5'),
      'usage',
    ],
    ['the model of a message', MESSAGE.replace('gpt-4o-mini', 'claude'), 'model'],
    [
      'repeated blocks of a message',
      MESSAGE.replace('"content":[', '"content":[],"content":['),
      'duplicate_key',
    ],
    ['no finish frame', STREAM.replace(FINISH_FRAME, ''), 'finish_reason'],
    ['another finish frame', STREAM.replace('"stop"', '"length"'), 'finish_reason'],
    ['no [DONE]', STREAM.replace('data: [DONE]\n\n', ''), 'stream_end'],
    ['a frame after [DONE]', `${STREAM}data: {"x":1}\n\n`, 'stream_end'],
    [
      'an error frame',
      STREAM.replace('data: [DONE]', `${ERROR_FRAME}data: [DONE]`),
      'finish_reason',
    ],
    [
      'another usage in a stream',
      STREAM.replace('"total_tokens":17', '"total_tokens":18'),
      'usage',
    ],
    [
      'a repeated member in a frame',
      STREAM.replace('"content":"Hi', '"content":"EVIL","content":"Hi'),
      'duplicate_key',
    ],
    ['no message_delta', EVENTS.replace(DELTA_FRAME, ''), 'finish_reason'],
    ['another stop reason in events', EVENTS.replace('end_turn', 'max_tokens'), 'finish_reason'],
    ['no message_stop', EVENTS.replace(/event: message_stop\n.*\n\n/, ''), 'stream_end'],
    [
      'an error event',
      EVENTS.replace('event: message_stop', `${MESSAGE_ERROR}event: message_stop`),
      'finish_reason',
    ],
    [
      'another output count in events',
      EVENTS.replace('"output_tokens":4', '"output_tokens":5'),
      'usage',
    ],
  ])('refuses %s', (_name, answer, reason) => {
    expect([PLAIN, STREAM, MESSAGE, EVENTS]).not.toContain(answer);
    expect(reasonOf(() => verify(answer))).toBe(reason);
  });

  const member = (json: string) => PLAIN.replace('"role"', `${json},"role"`);

  it.each([
    ['the id', PLAIN, 'id'],
    ['the role', PLAIN, 'choices[].message.role'],
    [
      'annotations',
      member('"annotations":[{"url":"https://evil.test"}]'),
      'choices[].message.annotations[].url',
    ],
    ['images', member('"images":[{"url":"https://evil.test"}]'), 'choices[].message.images[].url'],
    ['audio', member('"audio":{"data":"x"}'), 'choices[].message.audio.data'],
    ['reasoning', member('"reasoning_content":"hm"'), 'choices[].message.reasoning_content'],
    [
      'a function call',
      member('"function_call":{"name":"f"}'),
      'choices[].message.function_call.name',
    ],
    [
      'log probabilities',
      PLAIN.replace('"index"', '"logprobs":{"content":[1]},"index"'),
      'choices[].logprobs.content[]',
    ],
    ['an invalid usage', PLAIN.replace('"prompt_tokens":13,', ''), 'usage.total_tokens'],
    ['the thinking of a message', MESSAGE, 'content[].thinking'],
    [
      'citations of a message',
      MESSAGE.replace('"type":"text"', '"type":"text","citations":[1]'),
      'content[].citations[]',
    ],
    ['the thinking of events', EVENTS, 'delta.thinking'],
    ['an unknown frame', `data: {"x":1}\n\n${STREAM}`, 'x'],
    ['a frame that is not JSON', `data: hello\n\n${STREAM}`, 'frames without a JSON object'],
    ['a ping', EVENTS, 'event ping'],
    [
      'the usage of a native answer',
      '{"content":"Hi Zoë! 👋","usage":{"totalTokens":1}}',
      'usage.totalTokens',
    ],
  ])('reports as not covered: %s', (_name, answer, path) => {
    expect(verify(answer).notCovered).toContain(path);
  });

  it.each([
    ['lower than those of', 'not covered', 3],
    ['equal to those of', 'compared', 4],
  ])('treats interim counts %s the certificate as %s', (_name, part, count) => {
    const usage = { prompt_tokens: 13, completion_tokens: count, total_tokens: 13 + count };
    const chunk = `"usage":${JSON.stringify(usage)},"choices":[{"index":0`;
    const withoutUsageFrame = STREAM.replace(/data: .*"choices":\[\],?.*\n\n/, '');
    const answer = withoutUsageFrame.replaceAll('"choices":[{"index":0', chunk);
    const { compared, notCovered } = verify(answer);
    expect((part === 'compared' ? compared : notCovered).includes('usage')).toBe(true);
    expect((part === 'compared' ? notCovered : compared).includes('usage')).toBe(false);
  });

  it('reports empty members as not covered, which may have had a value', () => {
    const emptyMembers = member('"annotations":[],"audio":null,"images":{},"reasoning_content":""');
    expect(verify(emptyMembers).notCovered).toEqual(
      expect.arrayContaining(
        ['annotations', 'audio', 'images', 'reasoning_content'].map(
          (name) => `choices[].message.${name}`,
        ),
      ),
    );
  });

  it('reports finish reasons of later choices as not covered', () => {
    const choices = [0, 1].map((index) => ({ index, content: 'Hi', toolCalls: [] }));
    const response = { ...PAYLOAD.response, sha256: commitAnswer(choices) };
    const laterChoices = choices.map(({ index, content }) => ({
      index,
      message: { content },
      finish_reason: index === 0 ? 'stop' : 'length',
    }));
    const { notCovered } = verify(JSON.stringify({ choices: laterChoices }), {
      ...PAYLOAD,
      response,
    });
    expect(notCovered).toEqual(['choices[].finish_reason']);
  });

  it.each(['gpt-4o-mini-2024-07-18', 'gpt-4o-mini-20240718', 'gpt-4o-mini@001'])(
    'accepts %s as a version of the model',
    (model) => {
      const { compared, notCovered } = verify(PLAIN.replace('gpt-4o-mini', model));
      expect(compared).toContain('model');
      expect(notCovered).toContain('version of the model');
    },
  );

  it.each([
    ['claude-sonnet-4-20250514', true],
    ['claude-sonnet-4-5-20250929', false],
    ['claude-opus-4-20250514', false],
  ])('decides whether %s is a version of claude-sonnet-4-0: %s', (model, isVersion) => {
    const egress = { ...PAYLOAD.egress, model: 'claude-sonnet-4-0' };
    const answer = bytes(PLAIN.replace('gpt-4o-mini', model));
    const failure = failureOf(() => verifyResponse({ ...PAYLOAD, egress }, answer));
    expect(failure?.reason).toBe(isVersion ? undefined : 'model');
  });

  it('accepts the model name that the caller expects', () => {
    const answer = bytes(PLAIN.replace('gpt-4o-mini', 'our-deployment'));
    expect(failureOf(() => verifyResponse(PAYLOAD, answer))?.detail).toContain('our-deployment');
    expect(verifyResponse(PAYLOAD, answer, { model: 'our-deployment' }).compared).toContain(
      'model',
    );
  });

  it.each<[string, FinishReason, string]>([
    ['aborted by the client', 'aborted', STREAM.replace('data: [DONE]\n\n', '')],
    [
      'aborted by the client before its finish reason',
      'aborted',
      STREAM.replace(/data: .*stop[^]*/, ''),
    ],
    ['interrupted by an error', 'error', STREAM.replace(/data: \[DONE\]\n\n/, ERROR_FRAME)],
    ['without its end', 'lost', EVENTS.replace(/event: message_stop[^]*/, '')],
    ['ended by its provider with an error', 'error', STREAM.replace('"stop"', '"error"')],
  ])('accepts a stream %s', (_name, finishReason, answer) => {
    expect(reasonOf(() => verify(answer, endedWith(finishReason)))).toBeUndefined();
  });

  it('refuses a complete answer for an aborted call', () => {
    expect(reasonOf(() => verify(STREAM, endedWith('aborted')))).toBe('finish_reason');
    expect(reasonOf(() => verify(PLAIN, endedWith('aborted')))).toBe('finish_reason');
  });

  it('accepts tool_use for a signed stop if the answer has tool calls', () => {
    const toolCalls = [{ id: 'call_1', name: 'now', arguments: '{}' }];
    const sha256 = commitAnswer([{ index: 0, content: null, toolCalls }]);
    const response = { ...PAYLOAD.response, sha256 };
    const block = { type: 'tool_use', id: 'call_1', name: 'now', input: {} };
    const answer = JSON.stringify({ content: [block], stop_reason: 'tool_use' });
    // The provider may have said that it stopped, and so may the answer.
    const { compared, notCovered } = verify(answer, { ...PAYLOAD, response });
    expect(compared).not.toContain('finish reason');
    expect(notCovered).toContain('finish reason');
    const withToolCallsReason = PLAIN.replace('"stop"', '"tool_calls"');
    expect(reasonOf(() => verify(withToolCallsReason))).toBe('finish_reason');
  });
});

describe('verifyRequest', () => {
  it('accepts the same JSON in another notation', () => {
    const rewritten = ` ${REQUEST_BODY.replace('0.70', '7e-1')}`;
    expect(reasonOf(() => verifyRequest(PAYLOAD, bytes(rewritten)))).toBeUndefined();
  });

  it.each([
    ['a repeated model', REQUEST_BODY.replace('{"model"', '{"model":"gpt-5","model"')],
    ['a repeated content', REQUEST_BODY.replace('"content"', '"content":"EVIL","content"')],
  ])('refuses %s', (_name, body) => {
    expect(reasonOf(() => verifyRequest(PAYLOAD, body))).toBe('duplicate_key');
  });
});
