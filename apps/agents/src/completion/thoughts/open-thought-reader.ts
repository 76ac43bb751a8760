import { openTagScanner } from '../tags/open-tag-scanner.ts';
import type { TagToken } from '../tags/open-tag-scanner.ts';

/** Separates the thoughts in a streamed answer from its text. */
type ThoughtReader = {
  push(piece: string): string;
  pushReasoning(piece: string): void;
  /**
   * Ends the answer and returns the rest of its text and all thoughts. If `isCut`, the answer was
   * cut off; then, if thoughts were requested, text that may be thoughts is returned as thoughts.
   */
  end(ending?: { isCut: boolean; wantsThoughts?: boolean }): { text: string; thoughts: string };
};

/** Names of the tag that the prompt requests and of tags that models use instead. */
export const THOUGHT_TAG_NAMES: readonly string[] = [
  'thinking',
  'think',
  'reasoning',
  'reflection',
];

/**
 * Opens a reader that removes thoughts from the text: a block of thoughts ends only at its own
 * closing tag, nested tags of its name are counted, and an unterminated block extends to the end.
 * The result does not depend on how the answer is split into pieces.
 *
 * Chat templates of reasoning models (DeepSeek-R1, Qwen3-Thinking) put the opening tag into the
 * prompt, so that the answer contains only the closing tag. `mayBeginInside` handles such answers;
 * it delays all text until a tag, separately streamed reasoning or the end of the answer shows
 * whether it is thoughts. NUL is dropped from the pushed text, because it can be neither stored nor
 * shown.
 */
export function openThoughtReader({ mayBeginInside = false } = {}): ThoughtReader {
  const scanner = openTagScanner(THOUGHT_TAG_NAMES);
  const collapser = createSpaceCollapser();
  const blocks = createBlocks();
  let reasoning = '';
  let beginning = mayBeginInside ? '' : undefined;

  function readToken(token: TagToken): string {
    if (beginning === undefined) return readAfterBeginning(token);
    if (token.kind === 'text') beginning += token.text;
    else if (token.kind === 'opening') return showBeginning() + readAfterBeginning(token);
    else if (token.kind === 'closing' || token.isClosing) hideBeginning();
    return '';
  }

  function hideBeginning(): void {
    blocks.add(beginning ?? '');
    beginning = undefined;
    collapser.cut();
  }

  function showBeginning(): string {
    const text = beginning ?? '';
    beginning = undefined;
    return collapser.show(text);
  }

  function readAfterBeginning(token: TagToken): string {
    if (token.kind === 'cut' || blocks.readToken(token)) return '';
    if (token.kind === 'text') return collapser.show(token.text);
    collapser.cut();
    if (token.kind === 'opening' && !token.isSelfClosing) blocks.open(token.name);
    return '';
  }

  return {
    push(piece) {
      // A provider that streams reasoning separately puts none into the text, so the delayed text
      // can be shown.
      const beginningText = reasoning === '' ? '' : showBeginning();
      return beginningText + scanner.push(piece.replaceAll('\0', '')).map(readToken).join('');
    },
    pushReasoning(piece) {
      reasoning += piece.replaceAll('\0', '');
    },
    end({ isCut, wantsThoughts = true } = { isCut: false }) {
      const rest = scanner.end({ isCut }).map(readToken).join('');
      if (isCut && wantsThoughts && beginning !== undefined) hideBeginning();
      const text = rest + showBeginning();
      const parts = [reasoning, ...blocks.end()].map((part) => part.trim());
      return { text, thoughts: parts.filter((part) => part !== '').join('\n\n') };
    },
  };
}

type ThoughtBlocks = {
  open(name: string): void;
  readToken(token: Exclude<TagToken, { kind: 'cut' }>): boolean;
  add(text: string): void;
  end(): string[];
};

function createBlocks(): ThoughtBlocks {
  const thoughtTexts: string[] = [];
  let block: { name: string; depth: number; text: string } | undefined;
  return {
    open(name) {
      block = { name, depth: 1, text: '' };
    },
    readToken(token) {
      if (!block) return false;
      if (token.kind !== 'text' && token.name === block.name) {
        if (token.kind === 'closing') block.depth -= 1;
        else if (!token.isSelfClosing) block.depth += 1;
      }
      if (block.depth > 0) block.text += token.kind === 'text' ? token.text : token.source;
      else {
        thoughtTexts.push(block.text);
        block = undefined;
      }
      return true;
    },
    add: (text) => void thoughtTexts.push(text),
    end: () => (block ? [...thoughtTexts, block.text] : thoughtTexts),
  };
}

/**
 * Returns a filter that drops white space after removed thoughts if it would begin the text or
 * follow other white space.
 */
function createSpaceCollapser(): { show(text: string): string; cut(): void } {
  let endsInSpace = true;
  let isCut = false;
  return {
    show(text) {
      const trimmedText = isCut && endsInSpace ? text.trimStart() : text;
      if (trimmedText === '') return '';
      isCut = false;
      endsInSpace = trimmedText.trimEnd() !== trimmedText;
      return trimmedText;
    },
    cut() {
      isCut = true;
    },
  };
}
