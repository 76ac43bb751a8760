import { openTagScanner } from '../tags/open-tag-scanner.ts';
import type { OpeningTag, TagToken } from '../tags/open-tag-scanner.ts';
import { createTextJoiner } from './create-text-joiner.ts';
import { MEMORY_LENGTH_MAX, toMemoryTag, toTagKeyNorm } from './to-memory-tag.ts';
import type { MemoryTag, TagRejection } from './to-memory-tag.ts';

/** A tag that is neither shown nor kept. `keyNorm` is empty when it has no key. */
export type RejectedTag = { keyNorm: string; reason: TagRejection };

/** Takes the memory tags out of an answer that arrives in pieces. */
export type MemoryReader = {
  /** What may be shown now. Of plain text at most the last 8 characters wait for what follows. */
  push(piece: string): string;
  /** The last of the text, and what the tags held. Nothing may be pushed behind it. */
  end(): { text: string; memories: MemoryTag[]; rejected: RejectedTag[] };
};

/** The one name of a memory's tag, in any case. */
export const MEMORY_TAG_NAMES: readonly string[] = ['memory'];

/**
 * A reader of the tags of one answer (C5): of the model's final text alone, and of nothing that it
 * was given. However the answer is split, the same text and memories come out. Of two tags with one
 * key the last counts. What is cut off is neither shown nor kept.
 */
export function openMemoryReader(): MemoryReader {
  const scanner = openTagScanner(MEMORY_TAG_NAMES);
  const joiner = createTextJoiner();
  const memories = new Map<string, MemoryTag>();
  const rejected: RejectedTag[] = [];
  let body: MemoryBody | undefined;

  function take(token: TagToken): string {
    switch (token.kind) {
      case 'text':
        return body === undefined ? joiner.show(token.text) : addText(body, token.text);
      case 'opening': {
        const shown = abandon('nested');
        body = { tag: token, text: '' };
        if (token.isSelfClosing) close();
        return shown;
      }
      case 'closing':
        close();
        return '';
      default: {
        const shown = abandon('unterminated');
        if (!token.isClosing) rejected.push({ keyNorm: '', reason: 'unterminated' });
        return shown;
      }
    }
  }

  /** A text that is too long is rejected at its end: nothing more of it is kept than shows that. */
  function addText(to: MemoryBody, text: string): string {
    if (to.text.length <= MEMORY_LENGTH_MAX) to.text += text;
    return isBare(to.tag) && to.text.length > MEMORY_LENGTH_MAX ? abandon('too_long') : '';
  }

  /** Ends a body that no closing tag ends; what of it is to be shown. */
  function abandon(reason: TagRejection): string {
    if (body === undefined) return '';
    const { tag, text } = body;
    body = undefined;
    if (isBare(tag)) return joiner.show(tag.source + text);
    rejected.push({ keyNorm: toTagKeyNorm(tag), reason });
    joiner.cut();
    return '';
  }

  function close(): void {
    joiner.cut();
    if (body === undefined) return; // A stray closing tag.
    const result = toMemoryTag(body.tag, body.text);
    if (typeof result === 'string')
      rejected.push({ keyNorm: toTagKeyNorm(body.tag), reason: result });
    else memories.set(result.keyNorm, result);
    body = undefined;
  }

  return {
    push: (piece) => scanner.push(piece).map(take).join(''),
    end() {
      const text = scanner.end().map(take).join('') + abandon('unterminated');
      return { text, memories: [...memories.values()], rejected };
    },
  };
}

/** A tag whose end has not been seen, and the text behind it. */
type MemoryBody = { tag: OpeningTag; text: string };

/**
 * Whether a tag has no attribute at all. It may be C++'s `#include <memory>`, which must not
 * swallow the rest of the answer: without a closing tag it was none, and is shown.
 */
const isBare = (tag: OpeningTag): boolean => tag.attributes.size === 0 && !tag.isSelfClosing;
