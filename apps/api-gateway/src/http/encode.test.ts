import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { encodeAs } from './encode.ts';
import { closedObject, count, dateTime, flag, nullableText, text } from './schema.ts';

const createdAt = create(TimestampSchema, { seconds: 1_790_000_000n });

describe('encodeAs', () => {
  it('returns the members of the schema only', () => {
    expect(encodeAs(closedObject({ id: text }), { id: 'a', secret: 'b' })).toEqual({ id: 'a' });
  });

  it('encodes times in ISO 8601 and 64-bit integers as numbers', () => {
    const schema = closedObject({ createdAt: dateTime, revokedAt: dateTime, size: count });
    const message = { createdAt, revokedAt: new Date(0), size: 7n };
    expect(encodeAs(schema, message)).toEqual({
      createdAt: '2026-09-21T14:13:20.000Z',
      revokedAt: '1970-01-01T00:00:00.000Z',
      size: 7,
    });
  });

  it.each([[''], [undefined], [null]])('encodes %j as null if the member may be null', (error) => {
    const message: { error?: string | null } = { error };
    expect(encodeAs(closedObject({ error: nullableText }), message)).toEqual({ error: null });
  });

  it('keeps empty values of required members and omits those of optional ones', () => {
    const members = { name: text, isActive: flag };
    const message = { name: '', isActive: false };
    expect(encodeAs(closedObject(members), message)).toEqual(message);
    expect(encodeAs(closedObject({}, members), message)).toEqual({});
  });

  it('encodes the elements of lists and the JSON text of objects', () => {
    const schema = closedObject({
      list: { type: 'array', items: closedObject({ parameters: { type: 'object' } }) },
    });
    const encoded = encodeAs(schema, { list: [{ parameters: '{"a":1.0}', id: 1 }] });
    expect(JSON.stringify(encoded)).toBe('{"list":[{"parameters":{"a":1.0}}]}');
  });

  it('returns computed members unchanged', () => {
    const computed = { total: 0, error: '' };
    const schema = closedObject({ total: count, error: nullableText });
    expect(encodeAs(schema, { other: 1 }, computed)).toEqual(computed);
  });

  it('takes proofs from proofIds', () => {
    const schema = closedObject({ proofs: { type: 'array', items: text } });
    expect(encodeAs(schema, { proofIds: ['pf_1'] })).toEqual({ proofs: ['pf_1'] });
  });

  it('encodes an absent member as null if one of its schemas is that of null', () => {
    const schema = closedObject({ notAfter: { anyOf: [dateTime, { type: 'null' }] } });
    expect(encodeAs(schema, { notAfter: undefined })).toEqual({ notAfter: null });
  });

  it('throws if a required member is absent', () => {
    const message: { name?: string } = {};
    expect(() => encodeAs(closedObject({ name: text }), message)).toThrow('no member name');
  });
});
