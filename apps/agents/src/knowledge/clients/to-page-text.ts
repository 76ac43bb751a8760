export type PdfRun = {
  str: string;
  hasEOL: boolean;
  height: number;
  /** Transformation matrix of six numbers; the last two are the position (x, y). */
  transform: readonly number[];
};

/**
 * Distance between two lines, as a multiple of their height, above which a new paragraph begins.
 */
const PARAGRAPH_GAP = 1.7;

export const toPageText = (runs: readonly PdfRun[]): string => {
  const lines = toLines(runs);
  const parts = lines.map((line, index) => {
    const below = lines[index + 1];
    if (!below) return line.text;
    if (isHyphenated(line, below)) return line.text.slice(0, -1);
    return line.text + (isParagraphGap(line, below) ? '\n\n' : '\n');
  });
  return parts.join('').replace(INVISIBLE, '').toWellFormed().trim();
};

type PdfLine = { text: string; y: number; height: number };

const toLines = (runs: readonly PdfRun[]): PdfLine[] => {
  const lines: PdfLine[] = [];
  let line: PdfLine | undefined;
  for (const { str, hasEOL, height, transform } of runs) {
    if (str !== '') {
      line ??= { text: '', y: transform[5] ?? 0, height: 0 };
      line.text += str;
      line.height = Math.max(line.height, height);
    }
    if (!hasEOL) continue;
    if (line) lines.push(line);
    line = undefined;
  }
  if (line) lines.push(line);
  return lines
    .map((one) => ({ ...one, text: one.text.replace(SPACES, ' ').trim() }))
    .filter(({ text }) => text !== '');
};

const isParagraphGap = (line: PdfLine, below: PdfLine): boolean =>
  Math.abs(line.y - below.y) > PARAGRAPH_GAP * Math.max(line.height, below.height, 1);

const isHyphenated = (line: PdfLine, below: PdfLine): boolean =>
  HYPHEN_END.test(line.text) && /^\p{Ll}/u.test(below.text) && !isParagraphGap(line, below);

const HYPHEN_END = /(?<=\p{L})[-\u00ad\u2010]$/u;
const SPACES = /\s+/g;
const INVISIBLE = /(?![\t\n])[\p{Cc}\u00ad\u200b\p{Noncharacter_Code_Point}]/gu;
