import { invalidRequest } from '@witan/contracts';
import type { RouteCall } from '../../http/route.ts';
import type { Static } from '../../http/schema.ts';
import { NEW_DOCUMENT } from './knowledge-schema.ts';

export type DocumentUpload = {
  title: string;
  fileName: string;
  mediaType: string;
  content: Uint8Array;
};

const MULTIPART = /^multipart\/form-data\s*(;|$)/i;
const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i;

export const readDocumentUpload = async (
  call: Pick<RouteCall, 'request' | 'source' | 'body' | 'query'>,
): Promise<DocumentUpload> => {
  const type = call.request.headers['content-type'] ?? '';
  const title = (call.query as { title?: string }).title ?? '';
  if (type === '' || JSON_TYPE.test(type)) {
    const { content, title: own = title } = call.body as Static<typeof NEW_DOCUMENT>;
    // The content is stored as Markdown, because plain text is valid Markdown.
    return { title: own, fileName: '', mediaType: 'text/markdown', content: Buffer.from(content) };
  }
  if (MULTIPART.test(type)) return readForm(call.source, { type, title });
  const fileName = fileNameOf(call.request.headers);
  return { title, fileName, mediaType: type, content: call.source };
};

const readForm = async (
  source: Uint8Array,
  { type, title }: { type: string; title: string },
): Promise<DocumentUpload> => {
  const boundary = BOUNDARY.exec(type)?.[1];
  if (boundary === undefined) throw malformedForm();
  checkForm(source, boundary);
  // Passes on the same boundary that `checkForm` used, so that the parser finds the same parts.
  const headers = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
  const body = source as Uint8Array<ArrayBuffer>;
  const form = await new Response(body, { headers }).formData().catch(() => {
    throw malformedForm();
  });
  const files = [...form.values()].filter((value) => typeof value !== 'string');
  const [file] = files;
  if (!file || files.length > 1) {
    throw invalidRequest('The form must have one file.', { param: 'file' });
  }
  const titleField = form.get('title');
  return {
    title: typeof titleField === 'string' && titleField !== '' ? titleField : title,
    fileName: file.name,
    mediaType: file.type,
    content: new Uint8Array(await file.arrayBuffer()),
  };
};

const FORM_PARTS_MAX = 16;
const FORM_HEAD_BYTES_MAX = 16 * 1024;

const BOUNDARY = /;\s*boundary="?([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"?\s*(?:;|$)/i;

/**
 * Throws INVALID_REQUEST for a form with too many parts or too long headers. Parsing blocks the
 * event loop: a body of 32 MiB may contain some 600,000 parts, which took 17 s.
 */
const checkForm = (source: Uint8Array, boundary: string): void => {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const delimiter = Buffer.from(`--${boundary}`);
  let parts = 0;
  for (
    let index = bytes.indexOf(delimiter);
    index !== -1;
    index = bytes.indexOf(delimiter, index + delimiter.length)
  ) {
    const head = bytes.subarray(
      index + delimiter.length,
      index + delimiter.length + FORM_HEAD_BYTES_MAX,
    );
    if (head.toString('latin1', 0, 2) === '--') return;
    parts += 1;
    if (parts > FORM_PARTS_MAX) {
      throw invalidRequest(`The form may have ${FORM_PARTS_MAX} fields, one of them the file.`);
    }
    if (!head.includes('\r\n\r\n')) throw malformedForm();
  }
};

const malformedForm = (): Error =>
  invalidRequest('The body is no form that could be read to its end.');

/**
 * Returns the file name from `x-file-name` (percent-encoded if it is not ASCII), else from
 * Content-Disposition.
 */
const fileNameOf = (headers: RouteCall['request']['headers']): string => {
  const fileNameHeader = headers['x-file-name'];
  if (typeof fileNameHeader === 'string' && fileNameHeader !== '') return decode(fileNameHeader);
  const disposition = headers['content-disposition'] ?? '';
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(disposition);
  if (extended) return decode(extended[1]!);
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(disposition);
  return plain?.[1]?.replaceAll(/\\(.)/g, '$1') ?? plain?.[2] ?? '';
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text contains a percent sign that encodes nothing, so it was not percent-encoded.
    return text;
  }
};
