/** Reads `content` out of a JSON object that is still being written. */
export type ContentReader = { push: (text: string) => void };

const OPENING = /^\s*(?:```(?:json)?\s*)?\{\s*"content"\s*:\s*"/;
/** What may stand before the content: longer than this, and the object begins otherwise. */
const OPENING_LENGTH_MAX = 200;
const HALF = /[\ud800-\udbff]$/;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Hands on the text of a member `content` as it comes, however the pieces are cut, when it is the
 * object's first, as it is asked for. Of any other answer nothing is handed on: it is told when it
 * is whole. Never rejects and never hands on half a character.
 */
export const openContentReader = (onText: (text: string) => void): ContentReader => {
  let phase: 'opening' | 'content' | 'over' = 'opening';
  let buffered = '';
  /** The first half of a pair, which waits for the other. */
  let half = '';
  return {
    push: (piece) => {
      if (phase === 'over') return;
      buffered += piece;
      if (phase === 'opening') {
        const opening = OPENING.exec(buffered);
        if (opening) {
          phase = 'content';
          buffered = buffered.slice(opening[0].length);
        } else if (buffered.length > OPENING_LENGTH_MAX) phase = 'over';
      }
      if (phase !== 'content') return;
      const read = readText(buffered);
      buffered = buffered.slice(read.length);
      if (read.isOver) phase = 'over';
      const text = half + read.text;
      half = HALF.test(text) ? text.slice(-1) : '';
      const whole = half === '' ? text : text.slice(0, -1);
      if (whole !== '') onText(whole);
    },
  };
};

/** As much of a JSON string's inside as is there for certain. */
const readText = (inside: string): { text: string; length: number; isOver: boolean } => {
  let text = '';
  let at = 0;
  while (at < inside.length) {
    const end = inside.slice(at).search(/["\\]/);
    const plain = inside.slice(at, end === -1 ? undefined : at + end);
    text += plain;
    at += plain.length;
    if (at >= inside.length) break;
    if (inside[at] === '"') return { text, length: at, isOver: true };
    const escape = readEscape(inside.slice(at, at + 6));
    if (!escape) break;
    text += escape.text;
    at += escape.length;
  }
  return { text, length: at, isOver: false };
};

/** Undefined while it is not whole. */
const readEscape = (text: string): { text: string; length: number } | undefined => {
  const kind = text[1];
  if (kind === undefined) return undefined;
  if (kind !== 'u') return { text: ESCAPES[kind] ?? kind, length: 2 };
  if (text.length < 6) return undefined;
  const code = Number.parseInt(text.slice(2, 6), 16);
  return { text: Number.isNaN(code) ? '' : String.fromCharCode(code), length: 6 };
};
