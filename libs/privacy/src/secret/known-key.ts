import { isAlnum } from '../structured/char-class.ts';
import { type Found, found } from '../structured/scan.ts';
import { isRandom } from './secret-value.ts';

/** The first letters of keys that their makers mark, and how many characters follow at least. */
const PREFIXES: readonly (readonly [prefix: string, min: number])[] = [
  ['sk-ant-', 20],
  ['sk-proj-', 20],
  ['sk-or-', 20],
  ['sk-', 20],
  ['sk_live_', 16],
  ['sk_test_', 16],
  ['rk_live_', 16],
  ['rk_test_', 16],
  ['pk_live_', 16],
  ['whsec_', 20],
  ['ghp_', 30],
  ['gho_', 30],
  ['ghu_', 30],
  ['ghs_', 30],
  ['ghr_', 30],
  ['github_pat_', 30],
  ['glpat-', 18],
  ['gldt-', 18],
  ['glrt-', 18],
  ['xoxb-', 20],
  ['xoxp-', 20],
  ['xoxa-', 20],
  ['xoxr-', 20],
  ['xoxs-', 20],
  ['xapp-', 20],
  ['hf_', 30],
  ['npm_', 30],
  ['pypi-', 40],
  ['dop_v1_', 40],
  ['shpat_', 28],
  ['shpss_', 28],
  ['sbp_', 30],
  ['gsk_', 30],
  ['r8_', 30],
  ['nvapi-', 40],
  ['xai-', 40],
  ['pplx-', 30],
  ['tskey-', 20],
  ['dckr_pat_', 20],
  ['lin_api_', 30],
  ['figd_', 30],
  ['rubygems_', 40],
  ['hvs.', 24],
  ['SG.', 40],
  ['ya29.', 30],
  ['AKIA', 16],
  ['ASIA', 16],
  ['AIza', 30],
  ['EAAC', 60],
  ['AGE-SECRET-KEY-1', 50],
];
const MAX_LENGTH = 400;

type Prefix = readonly [prefix: string, min: number];

/** The prefixes by the char code of their first letter. */
const BY_FIRST: readonly (readonly Prefix[] | undefined)[] = byFirst();

/** A key of a known maker that begins at `start`, and is no later part of a name with dashes. */
export function findKnownKey(text: string, start: number): Found | undefined {
  const first = text.charCodeAt(start);
  const candidates = first < 128 ? BY_FIRST[first] : undefined;
  if (candidates === undefined || (start > 0 && text.charCodeAt(start - 1) === 0x2d))
    return undefined;
  for (const [prefix, min] of candidates) {
    if (!text.startsWith(prefix, start)) continue;
    const end = keyEnd(text, start + prefix.length);
    if (end - start - prefix.length >= min && isRandom(text.slice(start + prefix.length, end))) {
      return found(start, end, 'SECRET');
    }
  }
  return undefined;
}

/** Where a run of key characters ends: letters, digits, dash, underscore, inner dots. */
export function keyEnd(text: string, start: number): number {
  const stop = Math.min(text.length, start + MAX_LENGTH);
  let i = start;
  while (i < stop) {
    const c = text.charCodeAt(i);
    const inner = c === 0x2e && isAlnum(text.charCodeAt(i + 1));
    if (!isAlnum(c) && c !== 0x2d && c !== 0x5f && !inner) break;
    i++;
  }
  return i;
}

function byFirst(): readonly (readonly Prefix[] | undefined)[] {
  const table = Array.from({ length: 128 }, (): Prefix[] | undefined => undefined);
  for (const entry of PREFIXES) {
    const first = entry[0].charCodeAt(0);
    table[first] = [...(table[first] ?? []), entry];
  }
  return table;
}
