import { describe, expect, it } from '@jest/globals';
import { answerSamples, vectorText } from '../test/vector-file.ts';
import { failureOf, reasonOf } from '../test/reason-of.ts';
import { parseSavedAnswer } from './saved-answer.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseSavedAnswer(bytes(text));
const frame = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;

const CHUNK = frame({ choices: [{ index: 0, delta: { content: 'Hi' } }] });
const START = frame({ type: 'message_start', message: { content: [] } });
const TEXT = frame({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hi' } });
const PING = frame({ type: 'ping' });
const CHAT_ERROR = frame({ error: { message: 'gone' } });
const MESSAGE_ERROR = `event: error\n${frame({ type: 'error', error: { message: 'gone' } })}`;

describe('parseSavedAnswer', () => {
  it.each([
    ...['response.json', 'response.txt', 'message.json', 'message.txt'],
    ...['responses.json', 'responses.txt'],
  ])('reads the same answer from %s', (name) => {
    const choices = [{ index: 0, content: 'Hi Zoë! 👋', toolCalls: [] }];
    expect(parse(vectorText(name))).toEqual(choices);
    expect(parse(vectorText(name).trimEnd())).toEqual(choices); // Removes the final blank line.
  });

  const samples = [
    ...answerSamples(undefined),
    ...answerSamples('messages'),
    ...answerSamples('responses'),
  ];

  it.each(samples)('detects the dialect of a body: %s', (_name, sample) => {
    expect(parse(JSON.stringify(sample.body))).toEqual(sample.choices);
  });

  const streamed = samples.filter(([, { chunks }]) => chunks.length > 0);
  it.each(streamed)('detects the dialect of a stream: %s', (_name, sample) => {
    expect(parse(sample.chunks.map(frame).join(''))).toEqual(sample.choices);
  });

  it.each<[string, string, string | undefined]>([
    ['a chunk and an error', CHUNK + CHAT_ERROR, 'Hi'],
    ['events and an error', START + TEXT + MESSAGE_ERROR, 'Hi'],
    ['a ping before the message', PING + START + TEXT, 'Hi'],
    ['an unknown event', START + frame({ type: 'x' }) + TEXT, 'Hi'],
    ['a chunk before an object that is not one', CHUNK + frame({ id: 1 }), 'Hi'],
    ['a chunk after an object that is not one', frame({ id: 1 }) + CHUNK, 'Hi'],
    ['usage without choices', CHUNK + frame({ usage: { prompt_tokens: 1 } }), 'Hi'],
    [
      'a chunk before frames that are not JSON objects',
      `${CHUNK}data: hello\n\ndata: []\n\n`,
      'Hi',
    ],
    ['events after a frame that is not JSON', `data: hello\n\n${START}${TEXT}`, 'Hi'],
    ['a chunk and [DONE] with spaces around it', `${CHUNK}data:  [DONE] \n\n`, 'Hi'],
    ['a line that begins with a space and a brace of no JSON', `\u00A0{\n${CHUNK}`, 'Hi'],
    ['no text yet', START, undefined],
  ])('reads a stream of %s', (_name, text, content) => {
    expect(parse(text)).toEqual([{ index: 0, content: content ?? null, toolCalls: [] }]);
  });

  const native = (name: string, data: object) => `event: ${name}\n${frame(data)}`;
  const DELTAS = `:\n\n${native('delta', { content: 'H' })}${native('delta', { content: 'i' })}`;

  it.each<[string, string, string | null]>([
    ['a body', '{"agentId":"a","content":"Hi","toolCalls":[{"id":"t"}]}', 'Hi'],
    ['a body without text', '{"content":"","usage":{}}', null],
    ['a stream', DELTAS + native('done', { content: 'Hi', toolCalls: [] }), 'Hi'],
    ['a stream with tool calls', native('tool', { id: 't', result: {} }) + DELTAS, 'Hi'],
    ['an interrupted stream', DELTAS + native('error', { error: { message: 'gone' } }), 'Hi'],
    ['a stream without text', native('done', { content: '' }), null],
  ])('reads %s of a native endpoint', (_name, text, content) => {
    expect(parse(text)).toEqual([{ index: 0, content, toolCalls: [] }]);
  });

  it.each([
    ['a chat-completions body', '{"error":{"message":"gone"}}'],
    ['a messages body', '{"type":"error","error":{"message":"gone"}}'],
    ['a chat-completions stream', CHAT_ERROR],
    ['a messages stream', MESSAGE_ERROR],
    ['a responses body', '{"error":{"message":"gone","code":"server_error"}}'],
    ['an error event before a response', frame({ type: 'error', message: 'gone' })],
  ])('finds no choice in the error of %s', (_name, text) => {
    expect(parse(text)).toEqual([]);
  });

  it.each([
    ['nothing', ''],
    ['HTML', '<html></html>'],
    ['another dialect', '{"object":"text_completion","outputs":[]}'],
    ['broken JSON', '{"choices":['],
    ['a list', 'data: []\n\n'],
    ['a transcript without an answer', PING],
    ['frames that are neither chunks nor events', frame({ id: 1 })],
    ['only [DONE]', 'data: [DONE]\n\n'],
    ['a number in a native delta', DELTAS + native('delta', { content: 5 })],
    ['a number in the native end', DELTAS + native('done', { content: 5 })],
  ])('refuses %s', (_name, text) => {
    expect(reasonOf(() => parse(text))).toBe('answer');
  });

  it.each<[string, (text: string) => string]>([
    ['body', (text) => `{"choices":[{"index":0,"message":{"content":"${text}"}}]}`],
    ['stream', (text) => `data: {"choices":[{"index":0,"delta":{"content":"${text}"}}]}\n\n`],
  ])('reads bytes that are not UTF-8 in a %s as clients do', (_name, write) => {
    const withInvalid = Buffer.from(write('a\u0000b').replace('\u0000', '\u0001'));
    withInvalid[withInvalid.indexOf(1)] = 0xff;
    expect(parseSavedAnswer(withInvalid)[0]?.content).toBe('a\ufffdb');
  });

  it.each(['{"x":1}', frame({ id: 1 })])('names both dialects when it refuses %s', (text) => {
    const detail = failureOf(() => parse(text))?.detail;
    expect(detail).toContain('chat-completions');
    expect(detail).toContain('messages');
  });
});
