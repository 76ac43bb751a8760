import { describe, expect, it } from '@jest/globals';
import { prepareAssist } from './prepare-assist.ts';
import type { AssistParams } from './prepare-assist.ts';

const WISH: AssistParams = {
  systemPrompt: 'You are terse.',
  messages: [{ role: 'user', content: 'Hello' }],
  json: false,
  supplementary: [],
};
const CONTEXT_TOKENS = 10_000;

const prepare = (params: Partial<AssistParams>, contextTokens = CONTEXT_TOKENS) =>
  prepareAssist({ ...WISH, ...params }, contextTokens);

const refusalOf = (params: Partial<AssistParams>): unknown => {
  try {
    return prepare(params);
  } catch (error) {
    return error;
  }
};

const message = (role: string, content: string) => ({ role, content });

describe('prepareAssist', () => {
  it('adds nothing to what was asked', () => {
    expect(prepare({})).toEqual({
      system: ['You are terse.'],
      turns: [expect.objectContaining({ role: 'user' })],
      wantsJson: false,
      isStreamed: false,
    });
  });

  it('passes on what was said about the answer, zero too', () => {
    const prompt = prepare({ temperature: 0, maxTokens: 7 });
    expect(prompt).toMatchObject({ temperature: 0, maxOutputTokens: 7 });
  });

  it('ends the system prompt with the block; further instructions come behind it', () => {
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

  it('makes one turn of those of a role that follow each other', () => {
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
    ['no message of the user', { messages: [message('system', 'x')] }, 'messages'],
    ['an assistant that speaks first', { messages: [message('assistant', 'x')] }, 'messages'],
    ['an unknown role', { messages: [message('tool', 'x')] }, 'messages'],
    ['no system prompt', { systemPrompt: '' }, 'systemPrompt'],
  ])('refuses %s', (_name, params, param) => {
    expect(refusalOf(params)).toMatchObject({ reason: 'INVALID_REQUEST', fields: { param } });
  });

  const long = 'word '.repeat(CONTEXT_TOKENS);
  it.each<[string, Partial<AssistParams>]>([
    ['systemPrompt', { systemPrompt: long }],
    ['supplementary', { supplementary: [{ category: 'c', data: long }] }],
    ['messages', { messages: [message('user', long)] }],
  ])('refuses what does not fit, and names it: %s', (param, params) => {
    expect(refusalOf(params)).toMatchObject({ reason: 'REQUEST_TOO_LARGE', fields: { param } });
  });

  it('keeps room for the answer that was asked for, but not for more than there can be', () => {
    const messages = [message('user', 'word '.repeat(5_000))];
    expect(() => prepare({ messages })).not.toThrow();
    expect(() => prepare({ messages, maxTokens: 4_000 })).toThrow('does not fit');
    expect(() => prepare({ maxTokens: 10_000_000 }, 32_000)).not.toThrow();
  });

  it('has room for a short ask in the smallest window', () => {
    expect(() => prepare({}, 4_096)).not.toThrow();
  });
});
