import { createTagMatcher } from './create-tag-matcher.ts';
import { parseAttributes } from './parse-attributes.ts';
import type { TagAttributes } from './parse-attributes.ts';
import { BETWEEN_ATTRIBUTES, IN_QUOTES, isTagSpace, nextPhase } from './tag-phase.ts';
import type { TagPhase } from './tag-phase.ts';

export type OpeningTag = {
  kind: 'opening';
  name: string;
  attributes: TagAttributes;
  isSelfClosing: boolean;
  source: string;
};

/** Token of a scanned text; `cut` is a tag that was incomplete at the end of the text. */
export type TagToken =
  | OpeningTag
  | { kind: 'text'; text: string }
  | { kind: 'closing'; name: string; source: string }
  | { kind: 'cut'; isClosing: boolean };

export type TagScanner = {
  push(piece: string): TagToken[];
  end(): TagToken[];
};

/**
 * Maximum length of a tag, in UTF-16 units. A tag without a `>` within this length is treated as
 * text, which bounds the buffer.
 */
export const TAG_LENGTH_MAX = 512;

/**
 * Opens a scanner for tags; `names` must be lower case and match in any case. Which tags are found
 * does not depend on how the text is split into pieces. Takes linear time: only the incomplete
 * start of a tag at the end of a piece is scanned again. A `<` outside quotes ends an incomplete
 * tag, which then becomes text.
 */
export function openTagScanner(names: readonly string[]): TagScanner {
  const matchTagStart = createTagMatcher(names);
  let buffer = '';
  let incompleteTag: IncompleteTag | undefined;

  function readText(text: string, from: number, tokens: TagToken[]): number {
    for (let index = from; ; index += 1) {
      if (text.charCodeAt(index) !== LESS_THAN) index = text.indexOf('<', index);
      if (index === -1) {
        pushText(tokens, text.slice(from));
        return text.length;
      }
      const start = matchTagStart(text, index);
      if (start === undefined) continue;
      pushText(tokens, text.slice(from, index));
      const end = start === 'more' ? text.length : start.end;
      buffer = text.slice(index, end);
      if (start !== 'more') incompleteTag = { ...start, phase: BETWEEN_ATTRIBUTES };
      return end;
    }
  }

  function readTag(tag: IncompleteTag, text: string, from: number, tokens: TagToken[]): number {
    const remaining = TAG_LENGTH_MAX - buffer.length;
    const { at, end } = findTagEnd(tag, text, {
      from,
      to: Math.min(text.length, from + remaining),
    });
    buffer += text.slice(from, at);
    if (end === 'none' && buffer.length < TAG_LENGTH_MAX) return at;
    if (end === 'tag') tokens.push(toToken(tag, buffer));
    else pushText(tokens, buffer);
    buffer = '';
    incompleteTag = undefined;
    return at;
  }

  return {
    push(piece) {
      const tokens: TagToken[] = [];
      let text = piece;
      if (incompleteTag === undefined && buffer !== '') {
        text = buffer + piece;
        buffer = '';
      }
      for (let index = 0; index < text.length;)
        index = incompleteTag
          ? readTag(incompleteTag, text, index, tokens)
          : readText(text, index, tokens);
      return tokens;
    },
    end() {
      if (incompleteTag) return [{ kind: 'cut', isClosing: incompleteTag.isClosing }];
      return buffer === '' ? [] : [{ kind: 'text', text: buffer }];
    },
  };
}

type IncompleteTag = { name: string; isClosing: boolean; phase: TagPhase };

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;

/**
 * Returns how far the tag extends: to its `>`, to the character that makes it plain text, or to the
 * end of input.
 */
function findTagEnd(
  tag: IncompleteTag,
  text: string,
  { from, to }: { from: number; to: number },
): { at: number; end: 'tag' | 'text' | 'none' } {
  let { phase } = tag;
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index);
    if (phase < IN_QUOTES) {
      if (code === GREATER_THAN) return { at: index + 1, end: 'tag' };
      if (code === LESS_THAN || (tag.isClosing && !isTagSpace(code)))
        return { at: index, end: 'text' };
    }
    phase = nextPhase(phase, code);
  }
  tag.phase = phase;
  return { at: to, end: 'none' };
}

function toToken({ name, isClosing }: IncompleteTag, source: string): TagToken {
  if (isClosing) return { kind: 'closing', name, source };
  const isSelfClosing = source.endsWith('/>');
  const attributes = parseAttributes(source.slice(name.length + 1, isSelfClosing ? -2 : -1));
  return { kind: 'opening', name, attributes, isSelfClosing, source };
}

function pushText(tokens: TagToken[], text: string): void {
  if (text !== '') tokens.push({ kind: 'text', text });
}
