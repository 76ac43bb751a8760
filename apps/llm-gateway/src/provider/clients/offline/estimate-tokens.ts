const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

type Counts = { ascii: number; unspaced: number; other: number };

/**
 * Returns an estimate of the tokens of `text`: 4 ASCII characters per token, 1.3 characters of
 * Chinese, Japanese or Korean, 2.5 of anything else, rounded up; 0 only for the empty text. No
 * vocabulary is shipped, because offline answers are not billed.
 */
export function estimateTokens(text: string): number {
  const counts = { ascii: 0, unspaced: 0, other: 0 };
  for (let at = 0; at < text.length; at += 1) at += countCharacter(text, at, counts) - 1;
  return toTokens(counts);
}

export function cutToTokens(text: string, maxTokens: number): string {
  const counts = { ascii: 0, unspaced: 0, other: 0 };
  for (let at = 0; at < text.length;) {
    const length = countCharacter(text, at, counts);
    if (toTokens(counts) > maxTokens) return text.slice(0, at);
    at += length;
  }
  return text;
}

function countCharacter(text: string, at: number, counts: Counts): number {
  // Prompts are mostly ASCII and may be megabytes long, so ASCII is counted without a regular
  // expression, which is slower.
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
