import { describe, expect, it } from '@jest/globals';
import { decodeResponseFormat } from './decode-request.ts';
import { createDroppedFields } from '../neutral/dropped-fields.ts';

const decode = (value: unknown) => {
  const dropped = createDroppedFields();
  return { format: decodeResponseFormat(value, dropped), dropped: dropped.names() };
};

describe('decodeResponseFormat', () => {
  it.each([undefined, null, { type: 'text' }])('treats %p as plain text', (value) => {
    expect(decode(value)).toEqual({ format: undefined, dropped: [] });
  });

  it('decodes a schema and its options, and reports unknown members', () => {
    const schema = { name: 'n', description: 'd', schema: { type: 'object' }, strict: false, x: 1 };
    expect(decode({ type: 'json_schema', json_schema: schema })).toEqual({
      format: {
        kind: 'json_schema',
        name: 'n',
        description: 'd',
        schema: '{"type":"object"}',
        strict: false,
      },
      dropped: ['response_format.json_schema.x'],
    });
  });

  it('distinguishes an absent flag from false', () => {
    const { format } = decode({ type: 'json_schema', json_schema: { name: 'n' } });
    expect(format).toMatchObject({ schema: '', strict: undefined });
  });

  it.each([
    [{ type: 'grammar' }, 'response_format.type'],
    ['json_object', 'response_format'],
    [{ type: 'json_schema' }, 'response_format.json_schema'],
    [{ type: 'json_schema', json_schema: { schema: 'x' } }, 'response_format.json_schema.schema'],
    [{ type: 'json_schema', json_schema: { strict: 1 } }, 'response_format.json_schema.strict'],
  ])('refuses %j with its path', (value, param) => {
    expect(() => decode(value)).toThrow(
      expect.objectContaining({
        reason: 'INVALID_REQUEST',
        fields: expect.objectContaining({ param }),
      }),
    );
  });
});
