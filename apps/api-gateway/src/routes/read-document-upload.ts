import { invalidRequest } from '@witan/contracts';
import type { RouteCall } from '../http/route.ts';

/** A document as a client sent it. */
export type DocumentUpload = {
  title: string;
  fileName: string;
  mediaType: string;
  content: Uint8Array;
};

type JsonBody = { title?: string; content: string };

const MULTIPART = /^multipart\/form-data\s*(;|$)/i;
const JSON_TYPE = /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i;

/** Reads whichever form a document came in: JSON, a form with one file, or the file itself. */
export const readDocumentUpload = async (
  call: Pick<RouteCall, 'request' | 'source' | 'body' | 'query'>,
): Promise<DocumentUpload> => {
  const type = call.request.headers['content-type'] ?? '';
  const title = (call.query as { title?: string }).title ?? '';
  if (type === '' || JSON_TYPE.test(type)) {
    const { content, title: own = title } = call.body as JsonBody;
    // Of Markdown nothing is lost when it is plain text.
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
  const headers = { 'content-type': type };
  const form = await new Response(Buffer.from(source), { headers }).formData().catch(() => {
    throw invalidRequest('The body is no form that could be read to its end.');
  });
  const files = [...form.values()].filter((value) => typeof value !== 'string');
  const [file] = files;
  if (!file || files.length > 1) {
    throw invalidRequest('The form must have one file.', { param: 'file' });
  }
  const named = form.get('title');
  return {
    title: typeof named === 'string' && named !== '' ? named : title,
    fileName: file.name,
    mediaType: file.type,
    content: new Uint8Array(await file.arrayBuffer()),
  };
};

/** `x-file-name`, percent-encoded where it is not ASCII; else what Content-Disposition says. */
const fileNameOf = (headers: RouteCall['request']['headers']): string => {
  const given = headers['x-file-name'];
  if (typeof given === 'string' && given !== '') return decode(given);
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
    // A bare percent sign: it was not encoded.
    return text;
  }
};
