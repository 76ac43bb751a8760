import { Parser } from 'htmlparser2';
import { tooLarge } from '../../domain/knowledge/documents/document-refusals.ts';

export type XmlHandlers = {
  /** Names come without their namespace's prefix. */
  open?: (name: string, attributes: (name: string) => string | undefined) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
};

/** What a document may nest; the parser gets slower with each. */
const MAX_DEPTH = 512;

/**
 * Reads XML as it comes. Nothing that the document declares is expanded or fetched: the parser
 * knows the five entities of XML and numbers.
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
        open?.(localName(name), (wanted) => attributes[wanted] ?? attributes[`w:${wanted}`]);
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
