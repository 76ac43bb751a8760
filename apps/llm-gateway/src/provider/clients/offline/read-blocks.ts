export type Block = { readonly label: string; readonly text: string };

const LINE_BREAK = /[\n\r\u2028\u2029]+/u;
const END = /^--- END\b.* ---$/u;
const BEGIN = /^--- (?<head>.{1,500}) ---$/u;
const ITEM = /^\[(?<heading>[^\]]{1,200})\](?: \(high priority\))?$/u;
const REMARK = / \([^()]*\)$/u;
const PASSAGE = /^PASSAGE \d+ from .*?(?<title>"(?:[^"\\]|\\.)*")(?:, page \d+)?$/u;

/**
 * Splits a system prompt into the data blocks that Witan inserted (context, document passages,
 * memories, earlier turns) and the instructions around them. A block ends at its end line or with
 * the text.
 */
export function readBlocks(text: string): { instructions: string; blocks: Block[] } {
  const instructionLines: string[] = [];
  const blocks: { label: string; lines: string[] }[] = [];
  let isInside = false;
  for (const line of text.split(LINE_BREAK)) {
    const head = BEGIN.exec(line)?.groups?.['head'];
    if (END.test(line)) isInside = false;
    else if (head !== undefined) {
      isInside = true;
      blocks.push({ label: toLabel(head.replace(REMARK, '')), lines: [] });
    } else if (isInside) {
      const heading = ITEM.exec(line)?.groups?.['heading'];
      if (heading === undefined) blocks.at(-1)!.lines.push(line);
      else blocks.push({ label: `the context “${heading}”`, lines: [] });
    } else instructionLines.push(line);
  }
  return {
    instructions: instructionLines.join('\n'),
    blocks: blocks
      .filter(({ lines }) => lines.length > 0)
      .map(({ label, lines }) => ({ label, text: lines.join('\n') })),
  };
}

function toLabel(head: string): string {
  const context = /^CONTEXT: (?<heading>.+)$/u.exec(head)?.groups?.['heading'];
  if (context !== undefined) return `the context “${context}”`;
  const title = PASSAGE.exec(head)?.groups?.['title'];
  if (title !== undefined) return `the document “${parseTitle(title)}”`;
  if (head === 'MEMORIES') return 'memory';
  return head.startsWith('EARLIER IN THIS SESSION') ? 'earlier in this session' : 'the context';
}

function parseTitle(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1); // A title with an invalid escape is returned unchanged.
  }
}
