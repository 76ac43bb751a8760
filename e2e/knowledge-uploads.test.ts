import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { expectNativeRefusal } from './expect-refusal.ts';
import { createHttpClient } from './http-client.ts';
import type { Answer, Caller } from './http-client.ts';
import { TRANSPORTS } from './open-fixture.ts';
import { openDocumentedApi } from './open-documented-api.ts';
import type { DocumentedApi } from './open-documented-api.ts';

const DOCUMENT_BYTES_MAX = 32 * 1024 * 1024;
const SEARCH_PATH = '/v1/knowledge/search';
const DOCUMENTS_PATH = '/v1/knowledge/sources/{id}/documents';

type Uploader = Caller & { id: string };

const formOfManyFields = (): [string, string] => {
  const field = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  return [`${field.repeat(1_000)}--x--\r\n`, 'multipart/form-data; boundary=x'];
};

const utf16 = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

describe.each(TRANSPORTS)('document uploads, services over %s', (transport) => {
  let api: DocumentedApi;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    api = await openDocumentedApi({ transport });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
  });

  const createUploader = async (): Promise<Uploader> => {
    const key = await api.keys.makeKey();
    const client = createHttpClient(key);
    const created = await client.send('/v1/knowledge/sources', { body: { name: 'Handbook' } });
    return { ...key, id: (created.json as { source: { id: string } }).source.id };
  };
  const send = async (
    uploader: Uploader,
    body: string | Uint8Array,
    contentHeaders: Record<string, string> = { 'content-type': 'text/plain' },
  ): Promise<Answer> => {
    const headers = { authorization: `Bearer ${uploader.apiKey}`, ...contentHeaders };
    const { id } = uploader;
    return api.call(
      createHttpClient(uploader),
      `POST ${DOCUMENTS_PATH}`,
      { id },
      { headers, body },
    );
  };
  /**
   * Starts an upload that declares its length but sends no body, so that it reserves bytes until
   * the socket is closed.
   */
  const startUpload = ({ baseUrl, apiKey, id }: Uploader): Socket => {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    sockets.push(socket);
    socket.write(
      `POST ${DOCUMENTS_PATH.replace('{id}', id)} HTTP/1.1\r\nhost: x\r\n` +
        `authorization: Bearer ${apiKey}\r\ncontent-type: text/plain\r\n` +
        `content-length: ${DOCUMENT_BYTES_MAX}\r\n\r\n`,
    );
    return socket;
  };
  const readUploadRefusals = async (): Promise<number> => {
    const admin = api.fixture.system.adminUrls['api-gateway']!;
    const text = await (await fetch(`${admin}/metrics`)).text();
    return Number(/^api_gateway_limited_total\{limit="uploads"\} (\d+)$/m.exec(text)?.[1] ?? 0);
  };
  const expectTooMany = (answer: Answer): void => {
    const expected = { status: 429, type: 'rate_limit_error', code: 'too_many_uploads' };
    expectNativeRefusal(answer, expected);
    expect(answer.headers.get('retry-after')).toBe('1');
  };

  it('have a byte limit per workspace: excess uploads are refused, others are not affected', async () => {
    const [busyUploader, other] = [await createUploader(), await createUploader()];
    const before = await readUploadRefusals();
    const uploads = [startUpload(busyUploader), startUpload(busyUploader)];
    await eventually(
      async () => (await send(busyUploader, 'A note.')).status === 429,
      'a refused upload',
    );
    expectTooMany(await send(busyUploader, 'A note.'));
    expect(await readUploadRefusals()).toBeGreaterThan(before);
    expect((await send(other, 'Another note.')).status).toBe(201);
    // The limit affects only uploads, not other requests of the workspace.
    const search = { body: { query: 'note' } };
    expect((await createHttpClient(busyUploader).send(SEARCH_PATH, search)).status).toBe(200);
    for (const socket of uploads) socket.destroy();
    await eventually(
      async () => (await send(busyUploader, 'A note.')).status === 201,
      'an accepted upload',
    );
  });

  it('are refused with 503 and Retry-After when the shared limit is reached', async () => {
    const lastUploader = await createUploader();
    await eventually(async () => {
      startUpload(await createUploader());
      return (await send(lastUploader, 'A note.')).status === 503;
    }, 'a refused upload');
    const refusal = await send(lastUploader, 'A note.');
    expectNativeRefusal(refusal, { status: 503, type: 'server_error', code: 'unavailable' });
    expect(refusal.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('release their bytes, whatever the outcome', async () => {
    const uploader = await createUploader();
    const gzipHeaders = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const outcomes: number[] = [];
    for (let time = 0; time < 4; time += 1) {
      // A compressed upload reserves the maximum, because its decompressed length is unknown.
      outcomes.push((await send(uploader, 'no gzip', gzipHeaders)).status);
      outcomes.push((await send(uploader, 'PNG', { 'content-type': 'image/png' })).status);
      const idempotentHeaders = { 'content-type': 'text/plain', 'idempotency-key': 'the same' };
      outcomes.push((await send(uploader, 'Once.', idempotentHeaders)).status);
    }
    expect(outcomes).toEqual(Array(4).fill([400, 415, 201]).flat());
    expect((await send(uploader, 'A note.')).status).toBe(201);
    const { json } = await createHttpClient(uploader).send(
      DOCUMENTS_PATH.replace('{id}', uploader.id),
    );
    expect((json as { documents: object[] }).documents).toHaveLength(2);
  });

  it.each([
    ['a form of many fields', 400, formOfManyFields()],
    ['a form without a boundary', 400, ['--x--', 'multipart/form-data']],
    ['UTF-16 with a byte order mark', 201, [utf16('Grüße aus Pforzheim'), 'text/plain']],
    ['UTF-16 without a byte order mark', 415, [utf16('Hello').subarray(2), 'text/plain']],
    ['invalid UTF-8', 201, [Buffer.from('Gr\xfc\xdfe', 'latin1'), 'text/plain']],
    ['white space', 400, [' \n\t ', 'text/plain']],
    ['a PDF without pages', 400, ['%PDF-1.7\n%%EOF', 'application/pdf']],
    ['a deeply nested HTML page', 413, [`<html>${'<div>'.repeat(100_000)}`, 'text/html']],
    ['a truncated ZIP', 400, ['PK\x03\x04 and no more', '']],
  ] as [string, number, [string | Uint8Array, string]][])(
    'return for %s: %i',
    async (_name, status, [body, type]) => {
      const uploader = await createUploader();
      const answer = await send(uploader, body, { 'content-type': type || 'application/zip' });
      const outcome = type === '' ? 415 : status;
      expect([answer.status, answer.text]).toEqual([outcome, answer.text]);
    },
  );

  it('have safe names: control characters become spaces or are refused', async () => {
    const uploader = await createUploader();
    const uploadNamed = async (name: string): Promise<unknown> => {
      const headers = { 'content-type': 'text/plain', 'x-file-name': name };
      const { status, json } = await send(uploader, 'Hi.', headers);
      return status === 201 ? (json as { document: { title: string } }).document.title : status;
    };
    expect(await uploadNamed('a%0D%0Ab%1B%5B31m.txt')).toBe('a b [31m.txt');
    expect(await uploadNamed('a%00b')).toBe(400);
    expect(await uploadNamed('x'.repeat(501))).toBe(400);
    expect(await uploadNamed('..%2F..%2Fetc%2Fpasswd')).toBe('../../etc/passwd');
  });
});
