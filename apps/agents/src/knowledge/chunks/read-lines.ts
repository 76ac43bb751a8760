export type Line = {
  /** Offset of the first character that is not a space; for a blank line, the offset of its end. */
  start: number;
  /**
   * `item` is a list item or a table row; `code` is a line of a code block, including its fences.
   */
  kind: 'blank' | 'heading' | 'item' | 'code' | 'text';
};

/**
 * Splits the text after `from` into lines. `startsInCode` means that `from` is inside a code block.
 * The last line may be incomplete.
 */
export const readLines = (text: string, from: number, startsInCode: boolean): Line[] => {
  const lines: Line[] = [];
  let isCode = startsInCode;
  for (let index = from; index < text.length;) {
    const found = text.indexOf('\n', index);
    const next = found < 0 ? text.length : found + 1;
    const content = text.slice(index, next).trimStart();
    const kind = kindOf(content.trimEnd(), isCode, lines.at(-1));
    if (kind === 'code' && FENCE.test(content)) isCode = !isCode;
    if (kind === 'heading' && UNDERLINE.test(content)) lines.at(-1)!.kind = 'heading';
    lines.push({ start: next - content.length, kind });
    index = next;
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

export const isFenceOpen = (text: string, wasOpen: boolean): boolean => {
  if (!text.includes('```') && !text.includes('~~~')) return wasOpen;
  const fences = text.match(FENCES)?.length ?? 0;
  return fences % 2 === 0 ? wasOpen : !wasOpen;
};

const FENCES = /^[ \t]*(```|~~~)/gm;
