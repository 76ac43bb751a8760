import { describe, expect, it } from '@jest/globals';
import { prepareAssist } from './prepare-assist.ts';
import type { AssistParams } from './prepare-assist.ts';

const PARAMS: AssistParams = {
  systemPrompt: 'You are terse.',
  messages: [{ role: 'user', content: 'Hello' }],
  json: false,
  supplementary: [],
};
const CONTEXT_TOKENS = 10_000;

const prepare = (params: Partial<AssistParams>, contextTokens = CONTEXT_TOKENS) =>
  prepareAssist({ ...PARAMS, ...params }, contextTokens);

const errorOf = (params: Partial<AssistParams>): unknown => {
  try {
    return prepare(params);
  } catch (error) {
    return error;
  }
};

const message = (role: string, content: string) => ({ role, content });

describe('prepareAssist', () => {
  it('adds nothing to the request by default', () => {
    expect(prepare({})).toEqual({
      system: ['You are terse.'],
      turns: [expect.objectContaining({ role: 'user' })],
      wantsJson: false,
      isStreamed: false,
    });
  });

  it('sets temperature and token limit, including 0', () => {
    const prompt = prepare({ temperature: 0, maxTokens: 7 });
    expect(prompt).toMatchObject({ temperature: 0, maxOutputTokens: 7 });
  });

  it('appends the supplementary block to the system prompt, then the system messages', () => {
    const { system } = prepare({
      supplementary: [{ category: 'kpi', data: 'up' }],
      messages: [message('system', 'One.'), message('user', 'Hi'), message('system', 'Two.')],
      json: true,
    });
    const block = '--- SUPPLEMENTARY CONTEXT ---\n[KPI]\nup\n--- END SUPPLEMENTARY CONTEXT ---';
    expect(system).toEqual([
      `You are terse.\n\n${block}`,
      'One.',
      'Two.',
      expect.stringContaining('one JSON object'),
    ]);
  });

  it('joins adjacent messages of one role', () => {
    const { turns } = prepare({
      messages: [
        message('user', 'a'),
        message('system', '!'),
        message('user', 'b'),
        message('assistant', 'c'),
        message('user', 'd'),
      ],
    });
    const texts = turns.map(({ role, parts }) => [
      role,
      ...parts.map(({ part }) => (part.case === 'text' ? part.value.text : '')),
    ]);
    expect(texts).toEqual([
      ['user', 'a', 'b'],
      ['assistant', 'c'],
      ['user', 'd'],
    ]);
  });

  it.each<[string, Partial<AssistParams>, string]>([
    ['no messages', { messages: [] }, 'messages'],
    ['no user message', { messages: [message('system', 'x')] }, 'messages'],
    ['an assistant message first', { messages: [message('assistant', 'x')] }, 'messages'],
    ['an unknown role', { messages: [message('tool', 'x')] }, 'messages'],
    ['no system prompt', { systemPrompt: '' }, 'systemPrompt'],
  ])('rejects %s', (_name, params, param) => {
    expect(errorOf(params)).toMatchObject({ reason: 'INVALID_REQUEST', fields: { param } });
  });

  const long = 'word '.repeat(CONTEXT_TOKENS);
  it.each<[string, Partial<AssistParams>]>([
    ['systemPrompt', { systemPrompt: long }],
    ['supplementary', { supplementary: [{ category: 'c', data: long }] }],
    ['messages', { messages: [message('user', long)] }],
  ])('rejects a prompt that is too large and names the parameter: %s', (param, params) => {
    expect(errorOf(params)).toMatchObject({ reason: 'REQUEST_TOO_LARGE', fields: { param } });
  });

  it('reserves tokens for the requested answer, up to the maximum', () => {
    const messages = [message('user', 'word '.repeat(5_000))];
    expect(() => prepare({ messages })).not.toThrow();
    expect(() => prepare({ messages, maxTokens: 4_000 })).toThrow('does not fit');
    expect(() => prepare({ maxTokens: 10_000_000 }, 32_000)).not.toThrow();
  });

  it('fits a short prompt into the smallest window', () => {
    expect(() => prepare({}, 4_096)).not.toThrow();
  });
});
