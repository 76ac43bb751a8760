import { describe, expect, it } from '@jest/globals';
import { parseExactly } from '@witan/dialects';
import { encodeHeaderValue, readHeaderParams, toParamHeaders } from './param-headers.ts';

const schemaOf = (properties: object, more: object = {}): string =>
  JSON.stringify({ type: 'object', properties, ...more });
const annotated = (type: string, header: unknown = 'Region') => ({
  type,
  'x-mcp-header': header,
});

describe('arguments that headers mirror', () => {
  it('are read from the properties, and are no part of the schema', () => {
    const text = schemaOf({
      region: annotated('string'),
      page: { type: 'object', properties: { size: annotated('integer', 'Size') } },
      'x-raw': { type: 'string' },
    });
    const read = readHeaderParams(text);
    expect(read).toEqual({
      params: [
        { path: ['region'], header: 'mcp-param-region' },
        { path: ['page', 'size'], header: 'mcp-param-size' },
      ],
      parameters: schemaOf({
        region: { type: 'string' },
        page: { type: 'object', properties: { size: { type: 'integer' } } },
        'x-raw': { type: 'string' },
      }),
    });
  });

  it.each([
    ['of a number', schemaOf({ a: annotated('number') })],
    ['with a space', schemaOf({ a: annotated('string', 'A B') })],
    ['with a line break', schemaOf({ a: annotated('string', 'A\r\nB') })],
    ['that is empty', schemaOf({ a: annotated('string', '') })],
    ['that is no text', schemaOf({ a: annotated('string', 5) })],
    ['twice', schemaOf({ a: annotated('string'), b: annotated('string', 'region') })],
    ['in a list', schemaOf({ a: { type: 'array', items: annotated('string') } })],
    ['in an alternative', schemaOf({}, { anyOf: [annotated('string')] })],
  ])('are refused with a header %s', (_name, text) => {
    expect(readHeaderParams(text)).toMatchObject({
      problem: expect.stringContaining('x-mcp-header'),
    });
  });

  it('are sent if they have a value', () => {
    const params = [
      { path: ['region'], header: 'mcp-param-region' },
      { path: ['page', 'size'], header: 'mcp-param-size' },
      { path: ['gone'], header: 'mcp-param-gone' },
    ];
    const args = parseExactly(
      '{"region":"us-west1","page":{"size":12345678901234567890},"gone":null}',
    ) as object;
    expect(toParamHeaders(args, params)).toEqual({
      'mcp-param-region': 'us-west1',
      'mcp-param-size': '12345678901234567890',
    });
  });

  it.each([
    ['us-west1', 'us-west1'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('encode %j as the protocol prescribes', (value, encoded) => {
    expect(encodeHeaderValue(value)).toBe(encoded);
  });
});
