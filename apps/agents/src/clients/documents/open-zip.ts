import { fromBufferPromise } from 'yauzl';
import type { Entry } from 'yauzl';
import { tooLarge } from '../../domain/knowledge/documents/document-refusals.ts';

/** The files of a ZIP, by name. */
export type Zip = {
  has: (name: string) => boolean;
  /** The pieces of a file as UTF-8, one after the other; none when there is no such file. */
  read: (name: string) => AsyncIterable<string>;
};

const MAX_FILES = 10_000;

/** Bytes that come out of one ZIP, of all files that are read: a small one may hold gigabytes. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Opens a ZIP that is in memory. Throws what the reader throws for a damaged one; reading throws
 * REQUEST_TOO_LARGE for one that holds more than it may.
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
      // It can claim less than it holds, but no more comes out than it claims: then it is damaged.
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
