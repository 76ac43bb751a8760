import { describe, expect, it } from '@jest/globals';
import { readDocumentUpload } from './read-document-upload.ts';

type Call = Parameters<typeof readDocumentUpload>[0];

const read = (source: string | Uint8Array, headers: Record<string, string>, query = {}) =>
  readDocumentUpload({
    request: { headers } as unknown as Call['request'],
    source: Buffer.from(source as string),
    body: {},
    query,
  });

const field = (name: string, value: string): string =>
  `--mark\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const FILE = `--mark\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nHi\r\n`;
const FORM = { 'content-type': 'multipart/form-data; boundary=mark' };

describe('a document in a form', () => {
  it.each([
    ['plain', 'multipart/form-data; boundary=mark'],
    ['quoted', 'multipart/form-data; boundary="mark"'],
    ['with other parameters', 'Multipart/Form-Data; charset=utf-8; boundary=mark; a=b'],
  ])('is parsed by its boundary, %s', async (_name, type) => {
    const form = `${field('title', 'Named')}${FILE}--mark--\r\n`;
    const upload = await read(form, { 'content-type': type }, { title: 'other' });
    expect(upload).toMatchObject({ title: 'Named', fileName: 'a.md' });
    expect(Buffer.from(upload.content).toString()).toBe('Hi');
  });

  it.each([
    ['too many fields', `${field('a', '').repeat(16)}${FILE}--mark--`, /16 fields/],
    ['a field with endless headers', `--mark\r\n${'a: b\r\n'.repeat(4_000)}\r\n`, /its end/],
    ['two files', `${FILE}${FILE}--mark--`, /one file/],
    ['no file', `${field('a', 'b')}--mark--`, /one file/],
    ['no end', FILE, /its end/],
    ['nothing', '', /its end/],
  ])('is refused with %s', async (_name, form, message) => {
    const reading = read(form, FORM);
    await expect(reading).rejects.toMatchObject({
      reason: 'INVALID_REQUEST',
      message: expect.stringMatching(message),
    });
  });

  it.each(['', '; boundary=', `; boundary=${'x'.repeat(71)}`, '; boundary="a\\"b"'])(
    'is refused with a malformed boundary: %j',
    async (parameter) => {
      const reading = read(`${FILE}--mark--`, {
        'content-type': `multipart/form-data${parameter}`,
      });
      await expect(reading).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
    },
  );

  it('may have several fields', async () => {
    const form = `${field('a', 'b').repeat(15)}${FILE}--mark--\r\n`;
    expect((await read(form, FORM)).fileName).toBe('a.md');
  });
});

describe('a document as the body', () => {
  it.each([
    [{ 'x-file-name': 'a%20b.md' }, 'a b.md'],
    [{ 'x-file-name': '100%.md' }, '100%.md'],
    [{ 'content-disposition': "attachment; filename*=UTF-8''%C3%BC.md" }, 'ü.md'],
    [{ 'content-disposition': String.raw`attachment; filename="a\"b.md"` }, 'a"b.md'],
    [{}, ''],
  ])('gets its file name from the headers %j', async (headers, fileName) => {
    const upload = await read('Hi', { 'content-type': 'text/markdown', ...headers });
    expect(upload).toMatchObject({ fileName, mediaType: 'text/markdown', title: '' });
  });
});
