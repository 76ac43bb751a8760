import { Parser } from 'htmlparser2';
import { fromBufferPromise } from 'yauzl';
import type { Entry } from 'yauzl';
import { tooLarge } from '../documents/document-refusals.ts';

export type WordPackage = {
  has: (name: string) => boolean;
  /**
   * Parses an XML part; does nothing if the part does not exist. Throws REQUEST_TOO_LARGE if it
   * nests too deeply or the parts read exceed `MAX_BYTES` in total.
   */
  readPart: (name: string, handlers: XmlHandlers) => Promise<void>;
};

/** Names of elements are without their prefix; an attribute is also found under the prefix `w:`. */
type XmlHandlers = {
  open?: (name: string, attribute: (name: string) => string | undefined) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
};

const MAX_FILES = 10_000;

/**
 * Limit of the decompressed bytes of all parts read from one ZIP, because a small ZIP can expand to
 * gigabytes. A part that is read twice counts twice.
 */
const MAX_BYTES = 256 * 1024 * 1024;

/** Limit of nesting levels, because the parser slows down with each level. */
const MAX_DEPTH = 512;

/**
 * Opens a ZIP file. Rejects with the parser's error if it is damaged, and with REQUEST_TOO_LARGE if
 * it contains too many files.
 */
export const openWordPackage = async ({
  buffer,
  byteOffset,
  byteLength,
}: Uint8Array): Promise<WordPackage> => {
  const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  const zip = await fromBufferPromise(bytes, { strictFileNames: false });
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entries.size >= MAX_FILES) throw tooLarge(`The file holds more than ${MAX_FILES} files.`);
    entries.set(entry.fileName, entry);
  }
  let bytesLeft = MAX_BYTES;
  return {
    has: (name) => entries.has(name),
    readPart: async (name, handlers) => {
      const entry = entries.get(name);
      if (!entry) return;
      // The declared size can be trusted, because the parser rejects an entry whose data is longer.
      bytesLeft -= entry.uncompressedSize;
      if (bytesLeft < 0)
        throw tooLarge(`The file unpacks to more than ${MAX_BYTES} bytes; split it.`);
      const parser = createXmlParser(handlers);
      const decoder = new TextDecoder('utf-8');
      for await (const piece of await zip.openReadStreamPromise(entry)) {
        parser.write(decoder.decode(piece as Buffer, { stream: true }));
      }
      parser.end(decoder.decode());
    },
  };
};

/**
 * Creates a parser. Entities that the document declares are neither expanded nor fetched; only the
 * five predefined entities and character references are decoded.
 */
const createXmlParser = ({ open, text, close }: XmlHandlers): Parser => {
  let depth = 0;
  return new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (depth > MAX_DEPTH) throw tooLarge(`The document nests deeper than ${MAX_DEPTH}.`);
        open?.(
          localName(name),
          (attributeName) => attributes[attributeName] ?? attributes[`w:${attributeName}`],
        );
      },
      ontext: (piece) => text?.(piece),
      onclosetag: (name) => {
        depth -= 1;
        close?.(localName(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
};

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
