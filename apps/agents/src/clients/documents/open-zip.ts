import { fromBufferPromise } from 'yauzl';
import type { Entry } from 'yauzl';
import { tooLarge } from '../../domain/knowledge/documents/document-refusals.ts';

export type Zip = {
  has: (name: string) => boolean;
  /** Yields a file as UTF-8 in pieces; nothing if there is no such file. */
  read: (name: string) => AsyncIterable<string>;
};

const MAX_FILES = 10_000;

/**
 * Limit of the decompressed bytes of all files read from one ZIP: a small one can expand to
 * gigabytes.
 */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Opens a ZIP in memory. Throws the reader's errors for a damaged one; reading throws
 * REQUEST_TOO_LARGE beyond the limit of decompressed bytes.
 */
export const openZip = async (bytes: Uint8Array): Promise<Zip> => {
  const zip = await fromBufferPromise(toBuffer(bytes), { strictFileNames: false });
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entries.size >= MAX_FILES) throw tooLarge(`The file holds more than ${MAX_FILES} files.`);
    entries.set(entry.fileName, entry);
  }
  let left = MAX_BYTES;
  return {
    has: (name) => entries.has(name),
    read: async function* (name) {
      const entry = entries.get(name);
      if (!entry) return;
      // The reader fails if an entry holds more than its header claims.
      left -= entry.uncompressedSize;
      if (left < 0) throw tooLarge(`The file unpacks to more than ${MAX_BYTES} bytes; split it.`);
      const decoder = new TextDecoder('utf-8');
      for await (const piece of await zip.openReadStreamPromise(entry)) {
        yield decoder.decode(piece as Buffer, { stream: true });
      }
      yield decoder.decode();
    },
  };
};

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
