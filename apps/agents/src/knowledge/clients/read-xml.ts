import { Parser } from 'htmlparser2';
import { tooLarge } from '../documents/document-refusals.ts';

export type XmlHandlers = {
  open?: (name: string, attributes: (name: string) => string | undefined) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
};

/** Limit of nesting levels, because the parser slows down with each level. */
const MAX_DEPTH = 512;

/**
 * Parses XML from a stream. Entities that the document declares are neither expanded nor fetched;
 * only the five predefined entities and character references are decoded.
 */
export const readXml = async (
  pieces: AsyncIterable<string>,
  { open, text, close }: XmlHandlers,
): Promise<void> => {
  let depth = 0;
  const parser = new Parser(
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
  for await (const piece of pieces) parser.write(piece);
  parser.end();
};

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
