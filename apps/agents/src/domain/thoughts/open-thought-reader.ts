import { openTagScanner } from '../tags/open-tag-scanner.ts';
import type { TagToken } from '../tags/open-tag-scanner.ts';

/** Takes the thoughts out of an answer that arrives in pieces. */
export type ThoughtReader = {
  /** What of the answer may be shown now. */
  push(piece: string): string;
  /** Thoughts that the provider told apart itself: they stand first, whenever they arrive. */
  pushReasoning(piece: string): void;
  /** The last of the text, and all thoughts: empty when there were none. */
  end(): { text: string; thoughts: string };
};

/** The tags around thoughts: the one that is asked for, and those that models write instead. */
const THOUGHT_TAG_NAMES = ['thinking', 'think', 'reasoning', 'reflection'];

/**
 * A reader of one answer (C6): however it is split, the same text and thoughts come out. No thought
 * is ever shown: a block ends only at the end of its own tag, tags of that name inside it are
 * counted, and without an end all that follows is thoughts. Other tags of thoughts inside a block
 * are part of it; an end without a block is dropped.
 */
export function openThoughtReader(): ThoughtReader {
  const scanner = openTagScanner(THOUGHT_TAG_NAMES);
  const gap = createGap();
  const blocks: string[] = [];
  let reasoning = '';
  let block: ThoughtBlock | undefined;

  function take(token: TagToken): string {
    if (token.kind === 'cut') return '';
    if (block) {
      takeThought(block, token);
      return '';
    }
    if (token.kind === 'text') return gap.show(token.text);
    gap.cut();
    if (token.kind === 'opening' && !token.isSelfClosing)
      block = { name: token.name, depth: 1, text: '' };
    return '';
  }

  function takeThought(to: ThoughtBlock, token: Exclude<TagToken, { kind: 'cut' }>): void {
    if (token.kind !== 'text' && token.name === to.name) {
      if (token.kind === 'closing') to.depth -= 1;
      else if (!token.isSelfClosing) to.depth += 1;
    }
    if (to.depth > 0) to.text += token.kind === 'text' ? token.text : token.source;
    else closeBlock();
  }

  function closeBlock(): void {
    if (block) blocks.push(block.text);
    block = undefined;
  }

  return {
    push: (piece) => scanner.push(piece).map(take).join(''),
    pushReasoning(piece) {
      reasoning += piece;
    },
    end() {
      const text = scanner.end().map(take).join('');
      closeBlock();
      const parts = [reasoning, ...blocks].map((part) => part.trim());
      return { text, thoughts: parts.filter((part) => part !== '').join('\n\n') };
    },
  };
}

/** Thoughts whose end has not been seen; `depth` of tags of their name are open. */
type ThoughtBlock = { name: string; depth: number; text: string };

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
