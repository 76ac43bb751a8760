import { describe, expect, it } from '@jest/globals';
import { readSignals } from './request.ts';

const user = (content: unknown) => ({ role: 'user', content });
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'find', arguments: '{"q":1}' } }],
};
const result = { role: 'tool', tool_call_id: 'c', content: 'found' };

describe('readSignals', () => {
  it('reads a tool loop', () => {
    const tools = [{ type: 'function', function: { name: 'find' } }];
    const body = {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        user([{ type: 'text', text: 'Find it.' }]),
        call,
        result,
      ],
      tools,
      reasoning_effort: 'high',
      response_format: { type: 'json_schema' },
    };
    expect(readSignals(body)).toEqual({
      openingText: 'Find it.',
      lastUserText: 'Find it.',
      systemText: 'Be brief.',
      promptLength: 'Be brief.Find it.find{"q":1}found'.length + JSON.stringify(tools).length,
      userTurns: 1,
      toolCount: 1,
      hasOpenToolCalls: true,
      hasSignedReasoning: false,
      wantsReasoning: true,
      wantsJson: true,
      mediaCount: 0,
    });
  });

  it('counts adjacent user messages as one turn', () => {
    const messages = [user('a'), user('b'), { role: 'assistant', content: 'c' }, user('d')];
    expect(readSignals({ messages })).toMatchObject({
      openingText: 'a\nb',
      lastUserText: 'd',
      userTurns: 2,
      promptLength: 4,
    });
  });

  it('collects instructions from all positions', () => {
    const messages = [
      { role: 'system', content: 'a' },
      user('x'),
      { role: 'system', content: 'b' },
    ];
    expect(readSignals({ messages }).systemText).toBe('a\n\nb');
  });

  it('detects tool results in the last user turn only', () => {
    expect(readSignals({ messages: [call, result, user('go on')] }).hasOpenToolCalls).toBe(true);
    expect(readSignals({ messages: [call, result, call] }).hasOpenToolCalls).toBe(false);
    expect(readSignals({ messages: [user('hi')] }).hasOpenToolCalls).toBe(false);
  });

  it.each(['image_url', 'input_audio', 'file'])('counts media in parts of type %s', (type) => {
    const part = { type, [type]: { url: 'x'.repeat(99) } };
    const signals = readSignals({ messages: [user([part, part]), user([part])] });
    expect(signals.mediaCount).toBe(3);
    expect(signals.promptLength).toBe(0);
  });

  it.each([undefined, null, 'none', 'minimal', 5])(
    'treats the effort %p as no reasoning',
    (effort) => {
      expect(readSignals({ reasoning_effort: effort }).wantsReasoning).toBe(false);
    },
  );

  it.each([
    ['no messages', {}],
    ['messages as a string', { messages: 'x' }],
    ['messages that are not objects', { messages: [1, null, 'x', []] }],
    ['content of wrong types', { messages: [user({}), user([1, null, { text: 1 }]), user(null)] }],
    ['tools and formats of wrong types', { tools: {}, response_format: [], functions: 1 }],
  ])('counts %s as absent', (_name, body) => {
    expect(readSignals(body)).toMatchObject({
      lastUserText: '',
      systemText: '',
      promptLength: 0,
      userTurns: 0,
      toolCount: 0,
      mediaCount: 0,
      wantsJson: false,
    });
  });
});
