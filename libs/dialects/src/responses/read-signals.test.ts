import { describe, expect, it } from '@jest/globals';
import { readSignals } from './request.ts';

const CALL = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"a":1}' };
const RESULT = { type: 'function_call_output', call_id: 'c', output: 'Sun' };
const user = (content: unknown) => ({ role: 'user', content });

describe('the routing signals of a responses body', () => {
  it('are those of its text', () => {
    expect(readSignals({ model: 'm', instructions: 'Be brief.', input: 'Hi' })).toEqual({
      openingText: 'Hi',
      lastUserText: 'Hi',
      systemText: 'Be brief.',
      promptLength: 11,
      userTurns: 1,
      toolCount: 0,
      hasOpenToolCalls: false,
      hasSignedReasoning: false,
      wantsReasoning: false,
      wantsJson: false,
      mediaCount: 0,
    });
  });

  it('are those of its items', () => {
    const signals = readSignals({
      instructions: 'A',
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'B' }] },
        user('One'),
        user([
          { type: 'input_text', text: 'two' },
          { type: 'input_image', image_url: 'https://a' },
        ]),
        { role: 'assistant', content: [{ type: 'output_text', text: 'Three' }] },
        user('Four'),
        CALL,
        RESULT,
      ],
      tools: [{ type: 'function', name: 'f' }],
      reasoning: { effort: 'high' },
      text: { format: { type: 'json_schema' } },
    });
    expect(signals).toMatchObject({
      openingText: 'One\ntwo',
      lastUserText: 'Four',
      systemText: 'A\n\nB',
      userTurns: 2,
      toolCount: 1,
      hasOpenToolCalls: true,
      wantsReasoning: true,
      wantsJson: true,
      mediaCount: 1,
    });
    expect(signals.promptLength).toBeGreaterThan(26);
  });

  it('say whose reasoning was signed', () => {
    const withContent = (encrypted_content: string) =>
      readSignals({ input: [user('Hi'), { type: 'reasoning', encrypted_content }] });
    expect(withContent('gAAA')).toMatchObject({
      hasSignedReasoning: true,
      signingDialect: 'responses',
    });
    expect(withContent('witan-messages:c2ln')).toMatchObject({
      hasSignedReasoning: true,
      signingDialect: 'messages',
    });
    expect(withContent('')).not.toHaveProperty('signingDialect');
  });

  it.each([{}, { input: 5 }, { input: [null, 7, 'x', []] }, { input: [{ content: { a: 1 } }] }])(
    'count members of a wrong type as absent: %j',
    (body) => {
      expect(readSignals(body)).toMatchObject({ lastUserText: '', mediaCount: 0 });
    },
  );
});
