import { openTagScanner } from '../tags/open-tag-scanner.ts';
import type { OpeningTag, TagToken } from '../tags/open-tag-scanner.ts';
import { createTextJoiner } from './create-text-joiner.ts';
import { MEMORY_LENGTH_MAX, toMemoryTag, toTagKeyNorm } from './to-memory-tag.ts';
import type { MemoryTag, TagRejection } from './to-memory-tag.ts';

export type RejectedTag = { keyNorm: string; reason: TagRejection };

/** Removes memory tags from a streamed answer. */
export type MemoryReader = {
  /** Returns the text that can be shown now; plain text is delayed by at most 8 characters. */
  push(piece: string): string;
  end(): { text: string; memories: MemoryTag[]; rejected: RejectedTag[] };
};

export const MEMORY_TAG_NAMES: readonly string[] = ['memory'];

/**
 * Opens a reader, which must read only the model's final text and never its input. The result does
 * not depend on how the answer is split. The last tag of a key wins. An unterminated tag is neither
 * shown nor stored.
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

  function addText(to: MemoryBody, text: string): string {
    if (to.text.length <= MEMORY_LENGTH_MAX) to.text += text;
    return isBare(to.tag) && to.text.length > MEMORY_LENGTH_MAX ? abandon('too_long') : '';
  }

  /** Ends a tag without a closing tag; returns the text that is shown instead. */
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
    if (body === undefined) return;
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

type MemoryBody = { tag: OpeningTag; text: string };

/**
 * Returns true for a tag without attributes, which may be C++'s `#include <memory>`: it is shown as
 * text if it has no closing tag, so that it does not swallow the rest of the answer.
 */
const isBare = (tag: OpeningTag): boolean => tag.attributes.size === 0 && !tag.isSelfClosing;
