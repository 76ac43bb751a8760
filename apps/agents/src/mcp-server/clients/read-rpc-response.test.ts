import { describe, expect, it } from '@jest/globals';
import { readRpcResponse } from './read-rpc-response.ts';

const read = (text: string) => readRpcResponse(Buffer.from(text), 1);
const response = (more: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, ...more });
const PROGRESS = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress' });

describe('a response of an MCP server', () => {
  it.each([
    ['a body', response({ result: { a: 1 } })],
    ['an event', `event: message\ndata: ${response({ result: { a: 1 } })}\n\n`],
    ['an event without an end', `data:${response({ result: { a: 1 } })}`],
    [
      'an event after others',
      `: x\n\ndata: ${PROGRESS}\n\ndata: ${response({ result: { a: 1 } })}\n\n`,
    ],
    ['an event of two lines', 'data: {"jsonrpc":"2.0","id":1,\r\ndata: "result":{"a":1}}\r\n\r\n'],
  ])('is read from %s', (_name, text) => {
    expect(read(text)).toEqual({ result: { a: 1 } });
  });

  it('may be an error without an id', () => {
    const text = '{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}';
    expect(read(text)).toMatchObject({ error: { code: -32600 } });
  });

  it.each([
    ['another id', response({ id: 2, result: {} })],
    ['a result that is no object', response({ result: [] })],
    ['no JSON', '<html>'],
    ['nothing', ''],
    ['JSON of something else', '{"result":{}}'],
    [
      'JSON that is too deep',
      response({ result: { a: JSON.parse('['.repeat(99) + ']'.repeat(99)) } }),
    ],
  ])('is missing in %s', (_name, text) => {
    expect(read(text)).toBeUndefined();
  });

  it('is missing in a body that is not UTF-8', () => {
    expect(readRpcResponse(Buffer.of(0x7b, 0xff), 1)).toBeUndefined();
  });
});
