type ContentReader = { push: (text: string) => void };

const OPENING = /^\s*(?:```(?:json)?\s*)?\{\s*"content"\s*:\s*"/;
const OPENING_LENGTH_MAX = 200;
const ENDS_IN_HIGH_SURROGATE = /[\ud800-\udbff]$/;
/** Plain text or one complete escape inside a JSON string. */
const UNIT = /[^"\\]+|\\u[^]{4}|\\[^u]/gy;
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/**
 * Returns a reader of streamed JSON that emits the text of the member `content` as it arrives, if
 * `content` is the object's first member; otherwise it emits nothing. It accepts malformed JSON,
 * and does not split a surrogate pair between two calls of `onText`.
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
      const units = buffered.match(UNIT) ?? [];
      buffered = buffered.slice(units.join('').length);
      if (buffered.startsWith('"')) phase = 'over';
      const text = highSurrogate + units.map(decodeUnit).join('');
      highSurrogate = ENDS_IN_HIGH_SURROGATE.test(text) ? text.slice(-1) : '';
      const completeText = highSurrogate === '' ? text : text.slice(0, -1);
      if (completeText !== '') onText(completeText);
    },
  };
};

const decodeUnit = (unit: string): string => {
  if (!unit.startsWith('\\')) return unit;
  const kind = unit[1]!;
  if (kind !== 'u') return ESCAPES[kind] ?? kind;
  const code = Number.parseInt(unit.slice(2), 16);
  return Number.isNaN(code) ? '' : String.fromCharCode(code);
};

const CONTENT = /"content"\s*:\s*"/u;

export const recoverContent = (raw: string): string => {
  const start = raw.search(CONTENT);
  if (start === -1) return '';
  let content = '';
  openContentReader((text) => (content += text)).push(`{${raw.slice(start)}`);
  return content;
};
