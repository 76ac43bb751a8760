import type { SseFrame } from '@witan/proof';

const LINE = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g;

export const rewriteFrame = (
  { bytes }: Pick<SseFrame, 'bytes'>,
  data: string,
): Pick<SseFrame, 'data' | 'bytes'> => {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  let isWritten = false;
  const lines = (source.match(LINE) ?? []).map((line) => {
    if (!/^\ufeff?data\b/.test(line)) return line;
    if (isWritten) return '';
    isWritten = true;
    return data
      .split('\n')
      .map((part) => `data: ${part}\n`)
      .join('');
  });
  return { data, bytes: Buffer.from(lines.join('')) };
};
