import { describe, expect, it } from '@jest/globals';
import type { RoutingSignals } from '../dialect.ts';
import type { JsonObject } from '../json/json-value.ts';
import { readSignals } from './request.ts';

const user = (...content: unknown[]) => ({ role: 'user', content });
const answer = (...content: unknown[]) => ({ role: 'assistant', content });
const text = (value: string) => ({ type: 'text', text: value });
const result = { type: 'tool_result', tool_use_id: '1', content: 'rain' };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

const NOTHING: RoutingSignals = {
  openingText: '',
  lastUserText: '',
  systemText: '',
  promptLength: 0,
  userTurns: 0,
  toolCount: 0,
  hasOpenToolCalls: false,
  hasSignedReasoning: false,
  wantsReasoning: false,
  wantsJson: false,
  mediaCount: 0,
};
const of = (...messages: unknown[]) => readSignals({ messages });

describe('readSignals', () => {
  it('reads a whole conversation', () => {
    const body = {
      system: [text('be'), text('brief')],
      tools: [{ name: 'get', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: 'first' },
        { role: 'system', content: 'later' },
        { role: 'user', content: 'words' },
        answer({ type: 'tool_use', id: '1', name: 'get', input: { city: 'Zug' } }),
        user(result),
      ],
    };
    expect(readSignals(body)).toEqual({
      ...NOTHING,
      openingText: 'first\nwords',
      lastUserText: 'first\nwords',
      systemText: 'be\nbrief\nlater',
      promptLength: expect.any(Number),
      userTurns: 1,
      toolCount: 1,
      hasOpenToolCalls: true,
    });
  });

  it('does not count tool results as text', () => {
    const signals = of(user(text('ask')), answer(text('a')), user(result));
    expect(signals).toMatchObject({ lastUserText: 'ask', userTurns: 1, hasOpenToolCalls: true });
    expect(of(user(result), user(text('and?')))).toMatchObject({
      hasOpenToolCalls: true,
      lastUserText: 'and?',
    });
    expect(of(user(result), answer(text('a'))).hasOpenToolCalls).toBe(false);
  });

  it.each<[string, JsonObject, Partial<RoutingSignals>]>([
    ['a budget', { thinking: { type: 'enabled', budget_tokens: 1 } }, { wantsReasoning: true }],
    ['adaptive thinking', { thinking: { type: 'adaptive' } }, { wantsReasoning: true }],
    ['an effort', { output_config: { effort: 'high' } }, { wantsReasoning: true }],
    ['no thinking', { thinking: { type: 'disabled' } }, {}],
    ['a schema', { output_config: { format: { type: 'json_schema' } } }, { wantsJson: true }],
    ['an older schema', { output_format: { type: 'json_schema' } }, { wantsJson: true }],
    ['two images', { messages: [user(image, image)] }, { mediaCount: 2 }],
    [
      'images in a result',
      { messages: [user({ type: 'tool_result', content: [image, image] }, image)] },
      { mediaCount: 3, hasOpenToolCalls: true },
    ],
    [
      'a document of text',
      { messages: [user({ type: 'document', source: { type: 'text', data: 'abc' } })] },
      { promptLength: 3 },
    ],
    [
      'signed reasoning',
      { messages: [answer({ type: 'thinking', thinking: '', signature: 's' })] },
      { hasSignedReasoning: true },
    ],
    [
      'encrypted reasoning',
      { messages: [answer({ type: 'redacted_thinking', data: 'x' })] },
      { hasSignedReasoning: true },
    ],
    [
      'reasoning without a signature',
      { messages: [answer({ type: 'thinking', thinking: '', signature: '' })] },
      {},
    ],
  ])('detects %s', (_name, body, expected) => {
    expect(readSignals(body)).toEqual({
      ...NOTHING,
      promptLength: expect.any(Number),
      ...expected,
    });
  });

  it('counts calls and declarations by the length of their JSON', () => {
    const input = { city: 'Zug', days: [1, 2], deep: { is: true } };
    const tools = [{ name: 'get', input_schema: { type: 'object', required: ['a'] } }];
    const call = { type: 'tool_use', id: '1', name: 'get', input };
    const expected = 'get'.length + JSON.stringify(input).length + JSON.stringify(tools).length;
    const { promptLength } = readSignals({ messages: [answer(call)], tools });
    expect(Math.abs(promptLength - expected)).toBeLessThan(expected / 10);
  });

  it('counts text but not media', () => {
    const longText = 'x'.repeat(1000);
    const big = { ...image, source: { ...image.source, data: longText } };
    expect(of(user(text(longText))).promptLength - of(user(text(''))).promptLength).toBe(1000);
    expect(of(user(big)).promptLength).toBe(of(user(image)).promptLength);
  });

  it.each([
    [{}],
    [{ messages: 'x', tools: 5, system: 5, thinking: 'x', output_config: [] }],
    [{ messages: [null, 5, { role: 5, content: 5 }, { content: [null, 'x'] }] }],
  ])('ignores the invalid input %j', (body) => {
    expect(readSignals(body)).toEqual({ ...NOTHING, promptLength: expect.any(Number) });
  });

  it('accepts a body that is nested ten thousand levels deep', () => {
    let deep: unknown = 'x';
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    expect(readSignals({ messages: [user(deep)], tools: [deep] }).toolCount).toBe(1);
  });
});
