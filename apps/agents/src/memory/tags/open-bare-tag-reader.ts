import { TAG_LENGTH_MAX } from '../../completion/tags/open-tag-scanner.ts';
import { MEMORY_LENGTH_MAX } from './to-memory-tag.ts';

type BareTagReader = {
  push: (piece: string) => string;
  end: (ending: { isCut: boolean }) => string;
};

/** A memory tag without its `<`. */
const BARE_TAG = /^MEMORY[ \t]+(?:key|type|global)[ \t]*=[^<>\n]*>/;
/** The beginning of a text that may become a `BARE_TAG`. */
const BEGINNING = /^(?:M|ME|MEM|MEMO|MEMOR|MEMORY[ \t]*|MEMORY[ \t]+[a-z]+[ \t]*(?:=[^<>\n]*)?)$/;
const BODY_END = /\n|<\/memory/i;

/**
 * Opens a reader that adds the `<` to a memory tag at the start of a line that lacks it, because
 * small models drop it. Such a tag ends at its closing tag or else at the end of its line. The
 * result does not depend on how the text is split into pieces.
 */
export const openBareTagReader = (): BareTagReader => {
  let buffer = '';
  let isLineStart = true;
  let isInBody = false;

  /** Returns the text before the next tag and the tag, or undefined if more text is needed. */
  const readText = (): string | undefined => {
    for (let from = isLineStart ? 0 : nextLine(buffer, 0); ; from = nextLine(buffer, from)) {
      const line = from === -1 ? '' : buffer.slice(from, from + TAG_LENGTH_MAX);
      const tag = BARE_TAG.exec(line);
      if (tag) {
        isInBody = true;
        return take(from, tag[0].length, '<');
      }
      const isBeginning = line.length < TAG_LENGTH_MAX && BEGINNING.test(line);
      if (from === -1 || isBeginning) return takeText(isBeginning ? from : buffer.length);
    }
  };
  const readBody = (): string | undefined => {
    const end = BODY_END.exec(buffer);
    if (!end && buffer.length <= MEMORY_LENGTH_MAX) return undefined;
    isInBody = false;
    return take(0, end?.index ?? buffer.length, '') + (end?.[0] === '\n' ? CLOSING : '');
  };
  const takeText = (length: number): string | undefined => {
    const text = buffer.slice(0, length);
    buffer = buffer.slice(length);
    if (text === '') return undefined;
    isLineStart = text.endsWith('\n');
    return text;
  };
  const take = (from: number, length: number, prefix: string): string => {
    const text = buffer.slice(0, from) + prefix + buffer.slice(from, from + length);
    buffer = buffer.slice(from + length);
    isLineStart = false;
    return text;
  };
  return {
    push: (piece) => {
      buffer += piece;
      let text = '';
      for (;;) {
        const next = isInBody ? readBody() : readText();
        if (next === undefined) return text;
        text += next;
      }
    },
    end: ({ isCut }) => {
      if (isInBody) return buffer + (isCut ? '' : CLOSING);
      return isCut && buffer.includes('=') ? '' : buffer;
    },
  };
};

const CLOSING = '</MEMORY>';

const nextLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from);
  return end === -1 ? -1 : end + 1;
};

/** Adds the `<` to all memory tags in a text that lack it. */
export const addBrackets = (text: string): string => text.replaceAll(ANY_BARE_TAG, '<$&');

const ANY_BARE_TAG = /(?<![<\w/])memory(?=\s+(?:key|type|global)\s*=)/gi;
