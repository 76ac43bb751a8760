import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import fc from 'fast-check';
import type { Route } from '../src/http/route.ts';
import { readDocumentUpload } from '../src/resources/knowledge/read-document-upload.ts';
import { hostileText, hostileValue, TRIES } from './hostile-values.ts';
import { openRoutes } from './open-routes.ts';
import type { OpenRoutes } from './open-routes.ts';

const ECHO: Route = {
  id: 'echo',
  method: 'post',
  path: '/v1/echo/{id}',
  surface: 'native',
  summary: 'Answers what it was sent',
  tag: 'Test',
  scopes: ['agents'],
  query: { limit: { type: 'integer', minimum: 1, maximum: 500 }, cursor: { type: 'string' } },
  body: { type: 'object', properties: { name: { type: 'string', maxLength: 20 } } },
  responses: { 200: { description: 'The same' } },
  handle: async ({ body, query, params }) => ({ status: 200, json: { body, query, params } }),
};

const HTTP_TRIES = { ...TRIES, numRuns: Math.ceil(TRIES.numRuns / 3) };
const RESPONSE_TIMEOUT_MS = 10_000;

const END = Buffer.from('\r\n\r\n');
const refusals = new Set([400, 404, 405, 413, 415, 431]);

describe('hostile requests', () => {
  let server: OpenRoutes;

  beforeAll(async () => {
    server = await openRoutes([ECHO]);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const sendBytes = (bytes: Buffer, { isComplete }: { isComplete: boolean }): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(server.url);
      const socket = connect({ host: '127.0.0.1', port: Number(port) });
      const chunks: Buffer[] = [];
      socket.setTimeout(RESPONSE_TIMEOUT_MS, () => {
        socket.destroy();
        reject(new Error('no answer came, and the connection stayed open'));
      });
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', () => resolve(0));
      socket.on('close', () => {
        const [, status = '0'] = /^HTTP\/1\.1 (\d{3})/.exec(Buffer.concat(chunks).toString()) ?? [];
        resolve(Number(status));
      });
      // The socket stays open after a complete request, because Node treats a half-closed
      // connection as a disconnected client.
      if (isComplete) socket.write(bytes);
      else socket.end(bytes);
    });

  const toRequest = (path: string, headers: readonly string[], body: Uint8Array): Buffer => {
    const lines = [
      `POST ${path} HTTP/1.1`,
      'host: localhost',
      'connection: close',
      `x-api-key: ${server.key}`,
      `content-length: ${body.length}`,
      ...headers,
    ];
    return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]);
  };

  const body = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    hostileText.map((text) => Buffer.from(text)),
    hostileValue.map((value) => Buffer.from(JSON.stringify({ name: value }))),
    fc.integer({ min: 1, max: 200 }).map((depth) => Buffer.from('[{"a":'.repeat(depth))),
  );
  const header = fc.oneof(
    fc.constantFrom(
      'content-type: application/json',
      'content-type: text/plain',
      'content-type: application/json; charset=utf-16',
      'content-encoding: gzip',
      'content-encoding: br',
      'content-encoding: x',
      'prefer: handling=strict',
      'x-request-id: ../../../x',
      'x-forwarded-proto: https',
    ),
    fc
      .tuple(fc.constantFrom('accept', 'prefer', 'x-request-id', 'content-type'), hostileText)
      .map(([name, value]) => `${name}: ${value.replaceAll(/[^\x20-\x7e]/g, '')}`),
  );
  const path = fc.oneof(
    fc.constantFrom('/v1/echo/a', '/v1/echo/a?limit=1', '/v1/echo/%ff', '/v1/echo/a?limit=1e9'),
    hostileText.map((text) => `/v1/echo/${encodeURIComponent(text.toWellFormed())}`),
    hostileText.map((text) => `/v1/echo/a?${text.replaceAll(/[^\x21-\x7e]/g, '')}`),
  );

  it('are served or refused, and never cause a server error', async () => {
    const headers = fc.array(header, { maxLength: 3 });
    const property = fc.asyncProperty(path, headers, body, async (to, fields, bytes) => {
      const status = await sendBytes(toRequest(to, fields, bytes), { isComplete: true });
      expect(status === 200 || refusals.has(status) ? 'fine' : status).toBe('fine');
    });
    await expect(fc.assert(property, HTTP_TRIES)).resolves.toBeUndefined();
  });

  it('that are not HTTP are refused or disconnected', async () => {
    const property = fc.asyncProperty(fc.uint8Array({ maxLength: 80 }), async (bytes) => {
      const status = await sendBytes(Buffer.concat([bytes, END]), { isComplete: false });
      expect([0, 400, 404, 405, 431]).toContain(status);
    });
    await expect(fc.assert(property, HTTP_TRIES)).resolves.toBeUndefined();
  });
});

const ignoreRefusals = (error: unknown): undefined => {
  assert.equal(isServiceError(error) && error.reason, 'INVALID_REQUEST');
};

describe('a hostile upload', () => {
  const CRLF = '\r\n';
  const part = fc.oneof(
    fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom(
        '--mark',
        '--mark--',
        CRLF,
        `${CRLF}${CRLF}`,
        'Content-Disposition: form-data; name="file"; filename="a.md"',
        'Content-Disposition: form-data; name="title"',
        'Content-Disposition: form-data; name=""; filename*=utf-8\'\'%ff',
        'Content-Type: application/pdf',
      )
      .map((text) => Buffer.from(text)),
    hostileText.map((text) => Buffer.from(text)),
  );
  const type = fc.oneof(
    fc.constantFrom(
      'multipart/form-data; boundary=mark',
      'multipart/form-data; boundary="mark"',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'text/plain',
      'application/octet-stream',
    ),
    hostileText.map((text) => `multipart/form-data; boundary=${text}`),
  );

  it('is read as a document with a name, or refused', async () => {
    const parts = fc.array(part, { maxLength: 14 });
    const property = fc.asyncProperty(type, parts, hostileText, async (given, pieces, name) => {
      const headers = { 'content-type': given, 'x-file-name': name, 'content-disposition': name };
      const call = { request: { headers }, source: Buffer.concat(pieces), body: {}, query: {} };
      const reading = readDocumentUpload(
        call as unknown as Parameters<typeof readDocumentUpload>[0],
      );
      const upload = await reading.catch(ignoreRefusals);
      if (upload) assert.equal(typeof upload.fileName, 'string');
    });
    await expect(fc.assert(property, TRIES)).resolves.toBeUndefined();
  });
});
