import type { Category } from '../span.ts';
import type { Cue } from './cue-words.ts';
import type { Scan } from './scan.ts';

const MAX_GAP = 9;

const CUE_BY_CATEGORY: Readonly<Partial<Record<Category, Cue>>> = {
  PHONE: 'phone',
  CREDIT_CARD: 'card',
  NATIONAL_ID: 'national',
  TAX_ID: 'tax',
  BANK_ACCOUNT: 'account',
  PASSPORT: 'passport',
};

/**
 * Returns the cue that corresponds to the previous value in a list: in `555-1234 or 5551234567`,
 * the second number is a phone number too.
 */
export function findListCue(scan: Scan, offset: number): Cue | undefined {
  const last = scan.spans.at(-1);
  if (last === undefined || offset - last.end > MAX_GAP || offset <= last.end) return undefined;
  const gap = scan.text.slice(last.end, offset);
  const joins = /^(?:, |,? (?:and|or|und|oder|y|o|et|ou|e|och|eller|en|of|i|lub) | ?\/ ?)$/.test(
    gap,
  );
  return joins ? CUE_BY_CATEGORY[last.category] : undefined;
}
