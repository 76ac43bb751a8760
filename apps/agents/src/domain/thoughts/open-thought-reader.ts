import { openTagScanner } from '../tags/open-tag-scanner.ts';
import type { TagToken } from '../tags/open-tag-scanner.ts';

/** Takes the thoughts out of an answer that arrives in pieces. */
export type ThoughtReader = {
  /** What of the answer may be shown now. */
  push(piece: string): string;
  /** Thoughts that the provider told apart itself: they stand first, whenever they arrive. */
  pushReasoning(piece: string): void;
  /**
   * The last of the text, and all thoughts: empty when there were none. `isCut`: the model did not
   * end the answer itself; then what may be thoughts is thoughts.
   */
  end(ending?: { isCut: boolean }): { text: string; thoughts: string };
};

/** The tags around thoughts: the one that is asked for, and those that models write instead. */
export const THOUGHT_TAG_NAMES: readonly string[] = [
  'thinking',
  'think',
  'reasoning',
  'reflection',
];

/**
 * A reader of one answer (C6): however it is split, the same text and thoughts come out. No thought
 * is ever shown: a block ends only at the end of its own tag, tags of that name inside it are
 * counted, and without an end all that follows is thoughts. Other tags of thoughts inside a block
 * are part of it; an end without a block is dropped.
 *
 * Chat templates of reasoning models (DeepSeek-R1, Qwen3-Thinking) put the opening tag into the
 * prompt: such an answer begins with thoughts, and holds nothing but their end. `mayBeginInside`
 * reads it so, as the runtimes' own reasoning parsers do. Its price: nothing is shown before the
 * first tag, reasoning that the provider told apart, or the end shows what the beginning was. NUL
 * is dropped: nothing that keeps or shows an answer has room for it.
 */
export function openThoughtReader({ mayBeginInside = false } = {}): ThoughtReader {
  const scanner = openTagScanner(THOUGHT_TAG_NAMES);
  const gap = createGap();
  const blocks = createBlocks();
  let reasoning = '';
  /** What the answer began with, while that may be thoughts or text. */
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
      // Who tells thoughts apart writes none of them into the text.
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

/** The blocks of thoughts of an answer, of which one may be open. */
type ThoughtBlocks = {
  open(name: string): void;
  /** False when no block is open to take it. */
  take(token: Exclude<TagToken, { kind: 'cut' }>): boolean;
  /** A whole one. */
  add(text: string): void;
  /** Those that are whole, and what was said in one without an end. */
  end(): string[];
};

function createBlocks(): ThoughtBlocks {
  const whole: string[] = [];
  /** `depth` of tags of its name are open. */
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

/** Drops white space behind thoughts where the text begins, or has white space before them. */
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
