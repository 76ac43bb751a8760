import { describe, expect, it } from '@jest/globals';
import { type MessageAnswer, toMessage, toMessageEvents } from './message-answer.ts';

const EVERY_KIND: MessageAnswer = {
  blocks: [
    { type: 'thinking', thinking: ['Let me ', 'see.'], signature: 'c2ln' },
    { type: 'redacted_thinking', data: 'ZGF0YQ==' },
    { type: 'text', text: ['Look', 'ing.'] },
    { type: 'tool_use', name: 'add', input: ['{"a"', ':1}'] },
    { type: 'tool_use', id: 'toolu_now', name: 'now', input: '' },
  ],
  usage: { output_tokens: 9, cache_read_input_tokens: 5 },
};

const USAGE = {
  input_tokens: 3,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
};

describe('a scripted message', () => {
  it('has blocks of every type', () => {
    expect(toMessage(EVERY_KIND)).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Let me see.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'ZGF0YQ==' },
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', id: 'toolu_3', name: 'add', input: { a: 1 } },
        { type: 'tool_use', id: 'toolu_now', name: 'now', input: {} },
      ],
      stop_reason: 'tool_use',
      usage: { ...USAGE, output_tokens: 9, cache_read_input_tokens: 5 },
    });
  });

  it('streams its blocks in order, each with deltas of its type', () => {
    const events = toMessageEvents(EVERY_KIND).slice(2, -2);
    expect(events.map(({ type }) => type.replace('content_block_', '')).join(' ')).toBe(
      'start delta delta delta stop start stop start delta delta stop ' +
        'start delta delta stop start delta delta stop',
    );
    expect(events.flatMap(({ delta = [] }) => delta)).toEqual([
      { type: 'thinking_delta', thinking: 'Let me ' },
      { type: 'thinking_delta', thinking: 'see.' },
      { type: 'signature_delta', signature: 'c2ln' },
      { type: 'text_delta', text: 'Look' },
      { type: 'text_delta', text: 'ing.' },
      { type: 'input_json_delta', partial_json: '{"a"' },
      { type: 'input_json_delta', partial_json: ':1}' },
      { type: 'input_json_delta', partial_json: '' },
      { type: 'input_json_delta', partial_json: '' },
    ]);
    expect(events.flatMap(({ content_block = [] }) => content_block)).toEqual([
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'redacted_thinking', data: 'ZGF0YQ==' },
      { type: 'text', text: '' },
      { type: 'tool_use', id: 'toolu_3', name: 'add', input: {} },
      { type: 'tool_use', id: 'toolu_now', name: 'now', input: {} },
    ]);
  });

  it('starts with at most one output token and ends with the total usage', () => {
    const [start, ...rest] = toMessageEvents(EVERY_KIND);
    const started = { content: [], stop_reason: null, usage: { output_tokens: 1 } };
    expect(start).toMatchObject({ message: started });
    expect(rest.at(-2)).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 9 },
    });
  });

  it('has the given stop reason', () => {
    expect(toMessage({ stopReason: 'refusal' })).toMatchObject({ stop_reason: 'refusal' });
    const stopped = { stop_reason: 'stop_sequence', stop_sequence: 'END' };
    expect(toMessage({ stopSequence: 'END' })).toMatchObject(stopped);
    expect(toMessageEvents({ stopSequence: 'END' }).at(-2)).toMatchObject({ delta: stopped });
  });

  it('carries unknown fields at any depth', () => {
    const extra = { x_top: 1 };
    const eventExtra = { content_block_delta: { delta: { x_deep: 2 } } };
    const whole = toMessage({ extra: { ...extra, content: [{ x_block: 3 }] } });
    expect(whole).toMatchObject({ x_top: 1, content: [{ text: 'pong', x_block: 3 }] });
    const events = toMessageEvents({ extra, eventExtra });
    expect(events.filter((event) => event['x_top'] === 1)).toHaveLength(events.length);
    expect(events.filter((event) => 'delta' in event)[0]).toMatchObject({
      delta: { text: 'po', x_deep: 2 },
    });
  });
});
