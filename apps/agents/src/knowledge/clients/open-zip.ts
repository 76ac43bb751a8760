import { fromBufferPromise } from 'yauzl';
import type { Entry } from 'yauzl';
import { tooLarge } from '../documents/document-refusals.ts';

export type Zip = {
  has: (name: string) => boolean;
  read: (name: string) => AsyncIterable<string>;
};

const MAX_FILES = 10_000;

/**
 * Limit of the decompressed bytes of all files read from one ZIP, because a small ZIP can expand to
 * gigabytes.
 */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Opens a ZIP file. Rejects with the parser's error if it is damaged, and with REQUEST_TOO_LARGE if
 * it contains too many files. `read` throws REQUEST_TOO_LARGE once the files read exceed
 * `MAX_BYTES` in total.
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
      // The declared size can be trusted, because the parser rejects an entry whose data is longer.
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
