/** A line of Markdown or similar text. */
export type Line = {
  /** Offset of the first word; for a blank line, its end. */
  start: number;
  /** `item`: in a list or table; `code`: in a fence, including the fence itself. */
  kind: 'blank' | 'heading' | 'item' | 'code' | 'text';
};

/**
 * Returns the lines from `from` on, given whether fenced code is open there. The last line may be
 * cut.
 */
export const readLines = (text: string, from: number, isCodeBefore: boolean): Line[] => {
  const lines: Line[] = [];
  let isCode = isCodeBefore;
  for (let at = from; at < text.length;) {
    const found = text.indexOf('\n', at);
    const next = found < 0 ? text.length : found + 1;
    const content = text.slice(at, next).trimStart();
    const kind = kindOf(content.trimEnd(), isCode, lines.at(-1));
    if (kind === 'code' && FENCE.test(content)) isCode = !isCode;
    // A title and its underline are one heading.
    if (kind === 'heading' && UNDERLINE.test(content)) lines.at(-1)!.kind = 'heading';
    lines.push({ start: next - content.length, kind });
    at = next;
  }
  return lines;
};

const kindOf = (content: string, isCode: boolean, before: Line | undefined): Line['kind'] => {
  if (content === '') return 'blank';
  if (isCode || FENCE.test(content)) return 'code';
  if (HEADING.test(content)) return 'heading';
  if (before?.kind === 'text' && UNDERLINE.test(content)) return 'heading';
  return ITEM.test(content) ? 'item' : 'text';
};

const FENCE = /^(```|~~~)/;
const HEADING = /^#{1,6}\s/;
const UNDERLINE = /^(=+|-{2,})\s*$/;
const ITEM = /^([-*+•]\s|\d{1,4}[.)]\s|\|)|\s\|\s/;

/** Returns whether fenced code is open after a text. */
export const isFenceOpen = (text: string, wasOpen: boolean): boolean => {
  if (!text.includes('```') && !text.includes('~~~')) return wasOpen;
  const fences = text.match(FENCES)?.length ?? 0;
  return fences % 2 === 0 ? wasOpen : !wasOpen;
};

const FENCES = /^[ \t]*(```|~~~)/gm;
