import { damagedDocument, unreadable, noTextFound } from '../documents/document-refusals.ts';
import { MAX_TEXT_LENGTH } from '../documents/document-text.ts';
import { readPages } from './read-pages.ts';

type PdfText = { text: string; title: string; pageStarts: number[] };
type Pdf = Awaited<ReturnType<typeof import('unpdf/pdfjs').getDocument>['promise']>;

export const readPdf = async (bytes: Uint8Array): Promise<PdfText> => {
  const { getDocument } = await import('unpdf/pdfjs');
  const maps = createCharacterMaps();
  const loading = getDocument({
    // pdf.js rejects a Buffer and takes ownership of the bytes, so it gets a copy.
    data: new Uint8Array(bytes),
    verbosity: 0,
    // The following options disable fonts, WebAssembly, requests, forms and images, because
    // extracting text needs none of them.
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    useWorkerFetch: false,
    enableXfa: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    BinaryDataFactory: maps.BinaryDataFactory,
  });
  const pdf = await loading.promise.catch((error: unknown) => {
    throw toRefusal(error);
  });
  const read = await readPages(pdf, MAX_TEXT_LENGTH);
  const missing = maps.findMissing();
  if (missing !== undefined) {
    // The PDF is rejected, because its partial text could be mistaken for the complete text.
    const advice = 'export it again as PDF with Unicode text, or send it as DOCX';
    throw unreadable(`The PDF writes its text in ${missing}, which is not known; ${advice}.`);
  }
  if (read.text.trim() === '') throw noTextFound('The PDF');
  return { ...read, title: await titleOf(pdf) };
};

const toRefusal = (error: unknown): Error => {
  const isEncrypted = error instanceof Error && error.name === 'PasswordException';
  return isEncrypted
    ? unreadable('The PDF is protected by a password; send it without one.')
    : damagedDocument('The PDF', error);
};

const titleOf = async (pdf: Pdf): Promise<string> => {
  const found = await pdf.getMetadata().catch(() => undefined);
  const info: { Title?: unknown } | undefined = found?.info;
  const title = info?.Title;
  return typeof title === 'string' ? title : '';
};

/**
 * Creates a resource loader for pdf.js that rejects every request; `findMissing` returns the name
 * of the first character map that was requested. Fonts for Chinese, Japanese and Korean can refer
 * to Adobe's character maps, which `unpdf` does not contain. Only a missing character map makes
 * text unreadable; missing glyph shapes do not.
 */
const createCharacterMaps = () => {
  let firstMissing: string | undefined;
  return {
    BinaryDataFactory: class {
      fetch = async ({ kind, filename }: { kind: string; filename: string }): Promise<never> => {
        if (kind === 'cMapUrl') firstMissing ??= filename.replace(/\.bcmap$/, '');
        throw new Error(`${filename} is not available.`);
      };
    },
    findMissing: (): string | undefined => firstMissing,
  };
};
