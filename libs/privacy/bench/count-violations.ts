import { createMasker, createRestorer } from '../src/index.ts';
import type { Detect, Restorer } from '../src/index.ts';

const PLACEHOLDER = /\[\[[A-Z_]+_[A-Z2-7]{6}(?:_\d+)?\]\]/g;

const CHANGES: readonly ((placeholder: string) => string)[] = [
  (one) => one.slice(1, -1),
  (one) => one.toLowerCase(),
  (one) => `\\[\\[${one.slice(2, -2)}\\]\\]`,
  (one) => one.replaceAll(/[[\]]/g, '\\\\$&'),
];

/**
 * A bare name can be restored only before a character that cannot continue it, and a lower-case
 * bare name only if it is a separate word.
 */
const BARE = /\[\[([A-Z_]+_[A-Z2-7]{6}(?:_\d+)?)\]\](?![_\d])/g;
const BARE_WORD = new RegExp(`(?<![\\w\\]])${BARE.source}`, 'g');

/**
 * Counts texts that are not restored exactly: as a whole, split at each offset, or with changed
 * placeholders.
 */
export function countViolations(texts: readonly string[], detect: Detect): number {
  const key = new Uint8Array(32).fill(1);
  return texts.reduce((count, text) => {
    const masker = createMasker({ key, detect });
    const masked = masker.mask(text);
    const restorer = createRestorer(masker.table);
    const changed = [
      masked,
      ...CHANGES.map((change) => masked.replaceAll(PLACEHOLDER, change)),
      masked.replaceAll(BARE, '$1'),
      masked.replaceAll(BARE_WORD, (_all, name: string) => name.toLowerCase()),
    ];
    const failures = changed.filter((one) => restorer.restore(one) !== text).length;
    const json = JSON.stringify({ text });
    const isJsonWrong = restorer.restoreJsonText(masker.maskJsonText(json)) !== json;
    return count + failures + Number(isJsonWrong) + countWrongSplits(restorer, masked, text);
  }, 0);
}

/**
 * Counts the offsets at which a split stream is not restored exactly. Skips a text without
 * placeholders, because such a text is never buffered.
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
