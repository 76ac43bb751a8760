const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

type Counts = { ascii: number; unspaced: number; other: number };

/**
 * Tokens that a model would roughly count for `text`: 4 ASCII characters to a token, 1.3 of
 * Chinese, Japanese or Korean, 2.5 of anything else, rounded up. 0 only for the empty text.
 * An estimate on purpose: no vocabulary is shipped, and an answer that says "offline" is not
 * billed by anybody else's tokenizer.
 */
export function estimateTokens(text: string): number {
  const counts = { ascii: 0, unspaced: 0, other: 0 };
  for (let at = 0; at < text.length; at += 1) at += countCharacter(text, at, counts) - 1;
  return toTokens(counts);
}

/** The longest beginning of `text` that `estimateTokens` counts as at most `maxTokens`. */
export function cutToTokens(text: string, maxTokens: number): string {
  const counts = { ascii: 0, unspaced: 0, other: 0 };
  for (let at = 0; at < text.length;) {
    const length = countCharacter(text, at, counts);
    if (toTokens(counts) > maxTokens) return text.slice(0, at);
    at += length;
  }
  return text;
}

/** Adds the character at `at` to `counts`; returns how many code units it takes. */
function countCharacter(text: string, at: number, counts: Counts): number {
  // Prompts are mostly ASCII and can be megabytes long: these need no pattern.
  if (text.charCodeAt(at) < 0x80) {
    counts.ascii += 1;
    return 1;
  }
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  if (UNSPACED.test(character)) counts.unspaced += 1;
  else counts.other += 1;
  return character.length;
}

function toTokens({ ascii, unspaced, other }: Counts): number {
  return Math.ceil(ascii / 4 + unspaced / 1.3 + other / 2.5);
}
