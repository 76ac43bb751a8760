import { createMasker, createRestorer } from '../src/index.ts';
import type { Detect, Restorer } from '../src/index.ts';

const PLACEHOLDER = /\[\[[A-Z_]+_[A-Z2-7]{6}(?:_\d+)?\]\]/g;

const CHANGES: readonly ((placeholder: string) => string)[] = [
  (placeholder) => placeholder.slice(1, -1),
  (placeholder) => placeholder.toLowerCase(),
  (placeholder) => `\\[\\[${placeholder.slice(2, -2)}\\]\\]`,
  (placeholder) => placeholder.replaceAll(/[[\]]/g, '\\\\$&'),
];

/**
 * Matches placeholders that are restored even without their brackets, because the next character
 * cannot continue the name. `BARE_WORD` matches those that are restored in lower case too, because
 * they are separate words.
 */
const BARE = /\[\[([A-Z_]+_[A-Z2-7]{6}(?:_\d+)?)\]\](?![_\d])/g;
const BARE_WORD = new RegExp(`(?<![\\w\\]])${BARE.source}`, 'g');

/**
 * Counts failures to restore a text exactly: from the masked text, with changed placeholders,
 * inside JSON, and from a stream that is split at each offset.
 */
export function countViolations(texts: readonly string[], detect: Detect): number {
  const key = new Uint8Array(32).fill(1);
  return texts.reduce((count, text) => {
    const masker = createMasker({ key, detect });
    const masked = masker.mask(text);
    const restorer = createRestorer(masker.table);
    const variants = [
      masked,
      ...CHANGES.map((change) => masked.replaceAll(PLACEHOLDER, change)),
      masked.replaceAll(BARE, '$1'),
      masked.replaceAll(BARE_WORD, (_all, name: string) => name.toLowerCase()),
    ];
    const failures = variants.filter((variant) => restorer.restore(variant) !== text).length;
    const json = JSON.stringify({ text });
    const isJsonWrong = restorer.restoreJsonText(masker.maskJsonText(json)) !== json;
    return count + failures + Number(isJsonWrong) + countWrongSplits(restorer, masked, text);
  }, 0);
}

/**
 * Counts the offsets at which splitting the masked text into two chunks prevents exact restoration.
 * Returns 0 for a text without placeholders.
 */
function countWrongSplits(restorer: Restorer, masked: string, text: string): number {
  if (masked === text) return 0;
  let failures = 0;
  for (let split = 1; split < masked.length; split += 1) {
    const stream = restorer.createRestoreStream();
    const first = stream.push(masked.slice(0, split));
    if (first + stream.push(masked.slice(split)) + stream.end() !== text) failures += 1;
  }
  return failures;
}
