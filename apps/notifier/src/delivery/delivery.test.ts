import { describe, expect, it } from '@jest/globals';
import { encodeEnvelope, splitEnvelope } from './delivery.ts';

const timestamp = new Date('2026-11-22T05:00:00.123Z');

describe('encodeEnvelope', () => {
  it('returns JSON with four members in a fixed order', () => {
    const content = { event: 'debate.synthesized', data: { a: 1 }, timestamp };
    expect(encodeEnvelope({ ...content, webhookId: 'whk_1' })).toBe(
      '{"event":"debate.synthesized","data":{"a":1},' +
        '"timestamp":"2026-11-22T05:00:00.123Z","webhookId":"whk_1"}',
    );
  });

  it.each([
    ['empty data', {}],
    ['text that resembles the end of the envelope', { webhookId: '', end: '"webhookId":""}' }],
    ['every kind of character', { text: 'Grüße ✓ "\\ \u0000 \u2028 \ud800 $1 %s' }],
  ])('has the same content after a split: %s', (_name, data) => {
    const content = { event: 'webhook.test', data, timestamp };
    const { prefix, suffix } = splitEnvelope(content);
    const { timestamp: at, ...rest } = JSON.parse(`${prefix}whk_2${suffix}`) as typeof content;
    expect(rest).toEqual({
      event: 'webhook.test',
      data: JSON.parse(JSON.stringify(data)),
      webhookId: 'whk_2',
    });
    expect(at).toBe('2026-11-22T05:00:00.123Z');
  });
});
