import { openTagScanner } from '../tags/open-tag-scanner.ts';
import type { TagToken } from '../tags/open-tag-scanner.ts';

/** Removes thoughts from an answer that arrives in pieces. */
export type ThoughtReader = {
  /** Returns text of the answer that can be shown now. */
  push(piece: string): string;
  /** Adds reasoning that the provider separated: it precedes all other thoughts. */
  pushReasoning(piece: string): void;
  /**
   * Returns the remaining text and all thoughts. `isCut`: the answer was cut off; then text that
   * may be thoughts counts as thoughts.
   */
  end(ending?: { isCut: boolean }): { text: string; thoughts: string };
};

/** Tags around thoughts: the requested one and those that models use instead. */
export const THOUGHT_TAG_NAMES: readonly string[] = [
  'thinking',
  'think',
  'reasoning',
  'reflection',
];

/**
 * Reads one answer; the result does not depend on how it is split. No thought is ever shown: a
 * block ends only at its own closing tag, nested tags of that name are counted, and an unterminated
 * block extends to the end. Other thought tags inside a block belong to it; a closing tag without a
 * block is dropped. Chat templates of reasoning models (DeepSeek-R1, Qwen3-Thinking) put the
 * opening tag into the prompt, so their answer begins with thoughts and contains only the closing
 * tag: `mayBeginInside` handles this, like the runtimes' own reasoning parsers, at the cost of
 * showing nothing until a tag, separated reasoning, or the end decides. NUL is dropped, because it
 * can be neither stored nor shown.
 */
export function openThoughtReader({ mayBeginInside = false } = {}): ThoughtReader {
  const scanner = openTagScanner(THOUGHT_TAG_NAMES);
  const gap = createGap();
  const blocks = createBlocks();
  let reasoning = '';
  /** The beginning of the answer while it may be thoughts or text. */
  let beginning = mayBeginInside ? '' : undefined;

  function take(token: TagToken): string {
    if (beginning === undefined) return takeKnown(token);
    if (token.kind === 'text') beginning += token.text;
    else if (token.kind === 'opening') return showBeginning() + takeKnown(token);
    else if (token.kind === 'closing' || token.isClosing) hideBeginning();
    return '';
  }

  function hideBeginning(): void {
    blocks.add(beginning ?? '');
    beginning = undefined;
    gap.cut();
  }

  function showBeginning(): string {
    const text = beginning ?? '';
    beginning = undefined;
    return gap.show(text);
  }

  function takeKnown(token: TagToken): string {
    if (token.kind === 'cut' || blocks.take(token)) return '';
    if (token.kind === 'text') return gap.show(token.text);
    gap.cut();
    if (token.kind === 'opening' && !token.isSelfClosing) blocks.open(token.name);
    return '';
  }

  return {
    push(piece) {
      // A provider that separates reasoning puts none into the text.
      const begun = reasoning === '' ? '' : showBeginning();
      return begun + scanner.push(piece.replaceAll('\0', '')).map(take).join('');
    },
    pushReasoning(piece) {
      reasoning += piece;
    },
    end({ isCut } = { isCut: false }) {
      const rest = scanner.end().map(take).join('');
      if (isCut && beginning !== undefined) hideBeginning();
      const text = rest + showBeginning();
      const parts = [reasoning, ...blocks.end()].map((part) => part.trim());
      return { text, thoughts: parts.filter((part) => part !== '').join('\n\n') };
    },
  };
}

/** The thought blocks of an answer, of which one may be open. */
type ThoughtBlocks = {
  open(name: string): void;
  /** Returns false if no block is open. */
  take(token: Exclude<TagToken, { kind: 'cut' }>): boolean;
  /** Adds a complete block. */
  add(text: string): void;
  /** Returns all blocks, including an unterminated one. */
  end(): string[];
};

function createBlocks(): ThoughtBlocks {
  const whole: string[] = [];
  /** `depth`: open tags of its name. */
  let block: { name: string; depth: number; text: string } | undefined;
  return {
    open(name) {
      block = { name, depth: 1, text: '' };
    },
    take(token) {
      if (!block) return false;
      if (token.kind !== 'text' && token.name === block.name) {
        if (token.kind === 'closing') block.depth -= 1;
        else if (!token.isSelfClosing) block.depth += 1;
      }
      if (block.depth > 0) block.text += token.kind === 'text' ? token.text : token.source;
      else {
        whole.push(block.text);
        block = undefined;
      }
      return true;
    },
    add: (text) => void whole.push(text),
    end: () => (block ? [...whole, block.text] : whole),
  };
}

/** Drops white space after thoughts at the start of the text or after other white space. */
function createGap(): { show(text: string): string; cut(): void } {
  let endsInSpace = true;
  let isCut = false;
  return {
    show(text) {
      const shown = isCut && endsInSpace ? text.trimStart() : text;
      if (shown === '') return '';
      isCut = false;
      endsInSpace = shown.trimEnd() !== shown;
      return shown;
    },
    cut() {
      isCut = true;
    },
  };
}
