import { openTagScanner } from '../../completion/tags/open-tag-scanner.ts';
import type { OpeningTag, TagToken } from '../../completion/tags/open-tag-scanner.ts';
import { openBareTagReader } from './open-bare-tag-reader.ts';
import { MEMORY_LENGTH_MAX, toMemoryTag, toTagKeyNorm } from './to-memory-tag.ts';
import type { MemoryTag, TagRejection } from './to-memory-tag.ts';

export type RejectedTag = { keyNorm: string; reason: TagRejection };

/** Removes memory tags from a streamed answer. */
type MemoryReader = {
  /**
   * Adds a piece of the answer and returns the text that can be shown now. Text that may be the
   * start of a tag is delayed.
   */
  push(piece: string): string;
  /** If `isCut`, the answer was cut off, and the beginning of a tag is dropped. */
  end(ending?: { isCut: boolean }): {
    text: string;
    memories: MemoryTag[];
    rejected: RejectedTag[];
  };
};

export const MEMORY_TAG_NAMES: readonly string[] = ['memory'];

/**
 * Opens a reader for the model's own text. The model's input must not be passed to it, because tags
 * in it would be stored. The result does not depend on how the answer is split into pieces. Of
 * several tags with the same key, the last one is returned. A tag with attributes that is not
 * closed is neither shown nor stored.
 */
export function openMemoryReader(): MemoryReader {
  const bareTags = openBareTagReader();
  const scanner = openTagScanner(MEMORY_TAG_NAMES);
  const joiner = createTextJoiner();
  const memories = new Map<string, MemoryTag>();
  const rejected: RejectedTag[] = [];
  let body: MemoryBody | undefined;

  function readToken(token: TagToken): string {
    switch (token.kind) {
      case 'text':
        return body === undefined ? joiner.show(token.text) : addText(body, token.text);
      case 'opening': {
        const shownText = abandon('nested');
        body = { tag: token, text: '' };
        if (token.isSelfClosing) close();
        return shownText;
      }
      case 'closing':
        close();
        return '';
      default: {
        const shownText = abandon('unterminated');
        if (!token.isClosing) rejected.push({ keyNorm: '', reason: 'unterminated' });
        return shownText;
      }
    }
  }

  const read = (text: string): string => scanner.push(text).map(readToken).join('');
  function addText(memoryBody: MemoryBody, text: string): string {
    if (memoryBody.text.length <= MEMORY_LENGTH_MAX) memoryBody.text += text;
    return hasNoAttributes(memoryBody.tag) && memoryBody.text.length > MEMORY_LENGTH_MAX
      ? abandon('too_long')
      : '';
  }

  /**
   * Ends the current tag, if any, without its closing tag. Returns the text to show: the tag itself
   * if it has no attributes, otherwise none.
   */
  function abandon(reason: TagRejection): string {
    if (body === undefined) return '';
    const { tag, text } = body;
    body = undefined;
    if (hasNoAttributes(tag)) return joiner.show(tag.source + text);
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
    push: (piece) => read(bareTags.push(piece)),
    end({ isCut } = { isCut: false }) {
      const head = read(bareTags.end({ isCut }));
      const tail = scanner.end({ isCut }).map(readToken).join('') + abandon('unterminated');
      return { text: head + tail, memories: [...memories.values()], rejected };
    },
  };
}

type MemoryBody = { tag: OpeningTag; text: string };

/**
 * Returns true for a tag without attributes, which may be C++'s `#include <memory>`: without a
 * closing tag it is shown as text, because otherwise it would hide the rest of the answer.
 */
const hasNoAttributes = (tag: OpeningTag): boolean =>
  tag.attributes.size === 0 && !tag.isSelfClosing;

/**
 * Joins the pieces of a text from which parts were cut. Where spaces on both sides of a cut would
 * meet, one of them is dropped.
 */
function createTextJoiner() {
  let endsInSpace = false;
  let isCut = false;
  return {
    show(text: string): string {
      if (text === '') return '';
      const joinedText = isCut && endsInSpace && text.startsWith(' ') ? text.slice(1) : text;
      isCut = false;
      if (joinedText !== '') endsInSpace = joinedText.endsWith(' ');
      return joinedText;
    },
    cut(): void {
      isCut = true;
    },
  };
}
