import { createMasker, createRestorer } from '../src/index.ts';
import type { Detect, Restorer } from '../src/index.ts';

const PLACEHOLDER = /\[\[[A-Z_]+_[A-Z2-7]{6}(?:_\d+)?\]\]/g;

/** The ways in which models change placeholders; a bare name is changed only where it is a word. */
const CHANGES: readonly ((placeholder: string) => string)[] = [
  (one) => one.slice(1, -1),
  (one) => one.toLowerCase(),
  (one) => `\\[\\[${one.slice(2, -2)}\\]\\]`,
  (one) => one.replaceAll(/[[\]]/g, '\\\\$&'),
];

/**
 * A bare name is told from what follows it only where that is no digit, and in lower case no
 * letter.
 */
const BARE = /\[\[([A-Z_]+_[A-Z2-7]{6}(?:_\d+)?)\]\](?![_\d])/g;
const BARE_WORD = new RegExp(`(?<![\\w\\]])${BARE.source}`, 'g');

/**
 * How often a text did not come back: as a whole, cut at each offset, with changed placeholders.
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
    const wrong = changed.filter((one) => restorer.restore(one) !== text).length;
    const json = JSON.stringify({ text });
    const isJsonWrong = restorer.restoreJsonText(masker.maskJsonText(json)) !== json;
    return count + wrong + Number(isJsonWrong) + countWrongCuts(restorer, masked, text);
  }, 0);
}

/** A text that never changes is cut nowhere: nothing can be held back. */
function countWrongCuts(restorer: Restorer, masked: string, text: string): number {
  if (masked === text) return 0;
  let wrong = 0;
  for (let cut = 1; cut < masked.length; cut += 1) {
    const stream = restorer.createRestoreStream();
    const first = stream.push(masked.slice(0, cut));
    if (first + stream.push(masked.slice(cut)) + stream.end() !== text) wrong += 1;
  }
  return wrong;
}
