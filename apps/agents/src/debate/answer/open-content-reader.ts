export type ContentReader = { push: (text: string) => void };

const OPENING = /^\s*(?:```(?:json)?\s*)?\{\s*"content"\s*:\s*"/;
const OPENING_LENGTH_MAX = 200;
const ENDS_IN_HIGH_SURROGATE = /[\ud800-\udbff]$/;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Returns a reader of streamed JSON that emits the text of the member `content` as it arrives, if
 * `content` is the object's first member; otherwise it emits nothing. It never throws and never
 * emits half a surrogate pair.
 */
export const openContentReader = (onText: (text: string) => void): ContentReader => {
  let phase: 'opening' | 'content' | 'over' = 'opening';
  let buffered = '';
  let highSurrogate = '';
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
      if (read.isComplete) phase = 'over';
      const text = highSurrogate + read.text;
      highSurrogate = ENDS_IN_HIGH_SURROGATE.test(text) ? text.slice(-1) : '';
      const completeText = highSurrogate === '' ? text : text.slice(0, -1);
      if (completeText !== '') onText(completeText);
    },
  };
};

/**
 * Decodes the text after the opening quote of a JSON string, up to the closing quote or an
 * incomplete escape.
 */
const readText = (inside: string): { text: string; length: number; isComplete: boolean } => {
  let text = '';
  let at = 0;
  while (at < inside.length) {
    const end = inside.slice(at).search(/["\\]/);
    const plain = inside.slice(at, end === -1 ? undefined : at + end);
    text += plain;
    at += plain.length;
    if (at >= inside.length) break;
    if (inside[at] === '"') return { text, length: at, isComplete: true };
    const escape = readEscape(inside.slice(at, at + 6));
    if (!escape) break;
    text += escape.text;
    at += escape.length;
  }
  return { text, length: at, isComplete: false };
};

/** Decodes the escape at the start of `text`; returns undefined if the escape is incomplete. */
const readEscape = (text: string): { text: string; length: number } | undefined => {
  const kind = text[1];
  if (kind === undefined) return undefined;
  if (kind !== 'u') return { text: ESCAPES[kind] ?? kind, length: 2 };
  if (text.length < 6) return undefined;
  const code = Number.parseInt(text.slice(2, 6), 16);
  return { text: Number.isNaN(code) ? '' : String.fromCharCode(code), length: 6 };
};

const CONTENT = /"content"\s*:\s*"/u;

export const recoverContent = (raw: string): string => {
  const at = raw.search(CONTENT);
  if (at === -1) return '';
  let content = '';
  openContentReader((text) => (content += text)).push(`{${raw.slice(at)}`);
  return content;
};
