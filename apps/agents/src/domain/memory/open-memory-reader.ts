import { openTagScanner } from '../tags/open-tag-scanner.ts';
import type { OpeningTag, TagToken } from '../tags/open-tag-scanner.ts';
import { createTextJoiner } from './create-text-joiner.ts';
import { MEMORY_LENGTH_MAX, toMemoryTag, toTagKeyNorm } from './to-memory-tag.ts';
import type { MemoryTag, TagRejection } from './to-memory-tag.ts';

/** A tag that is neither shown nor stored. `keyNorm` is empty if it has no key. */
export type RejectedTag = { keyNorm: string; reason: TagRejection };

/** Removes memory tags from an answer that arrives in pieces. */
export type MemoryReader = {
  /** Returns text that can be shown now. Of plain text at most 8 characters are delayed. */
  push(piece: string): string;
  /** Returns the remaining text and all tags. Nothing may be pushed afterwards. */
  end(): { text: string; memories: MemoryTag[]; rejected: RejectedTag[] };
};

/** The tag name, matched without case. */
export const MEMORY_TAG_NAMES: readonly string[] = ['memory'];

/**
 * Reads the tags of one answer: of the model's final text only, never of its input. The result does
 * not depend on how the answer is split. For a repeated key the last tag counts. An unterminated
 * tag is neither shown nor stored.
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

  /** Adds to a body; beyond the limit only enough is retained to detect the excess. */
  function addText(to: MemoryBody, text: string): string {
    if (to.text.length <= MEMORY_LENGTH_MAX) to.text += text;
    return isBare(to.tag) && to.text.length > MEMORY_LENGTH_MAX ? abandon('too_long') : '';
  }

  /** Ends a body without a closing tag; returns the part of it to show. */
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
    if (body === undefined) return; // A closing tag without an opening one.
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

/** An open tag and the text after it. */
type MemoryBody = { tag: OpeningTag; text: string };

/**
 * Returns whether a tag has no attribute. It may be C++'s `#include <memory>`, which must not
 * swallow the rest of the answer: without a closing tag it is shown as text.
 */
const isBare = (tag: OpeningTag): boolean => tag.attributes.size === 0 && !tag.isSelfClosing;
