import { findAssignedSecret } from './secret/find-assigned-secret.ts';
import { findColonKey, findWebhookSecret } from './secret/key-form.ts';
import { findDigitlessKeys, findKnownKey } from './secret/known-key.ts';
import { findPrivateKey } from './secret/encoded-secret.ts';
import type { Span } from './span.ts';
import { advanceInSteps } from './steps.ts';
import type { Stepped } from './steps.ts';
import { CLASS, isDigit, isHex, isWordChar, foldWide, STOPS } from './structured/char-class.ts';
import { createDigitGroups } from './structured/digit-groups.ts';
import { findEmail } from './structured/find-email.ts';
import { findIpv6, findMac } from './structured/find-network-address.ts';
import { findNumber } from './structured/find-number.ts';
import { findToken } from './structured/find-token.ts';
import { findUrl } from './structured/find-url.ts';
import { type Found, found, type Scan } from './structured/scan.ts';

/**
 * Maximum distances from a digit back to the start of its word (`MAX_WORD`) and from a dash back to
 * the start of a key prefix (`MAX_PREFIX`).
 */
const MAX_WORD = 128;
const MAX_PREFIX = 10;

/**
 * Finds structured values, such as e-mail addresses, phone numbers, cards, accounts, identity
 * numbers, network and wallet addresses, dates of birth and secrets. Returns ascending spans
 * without overlaps. Time is linear: the scan stops at digits and a few other characters, and
 * examines a bounded range around each.
 */
export const detectStructured: Stepped<[text: string], Span[]> = Object.assign(
  (text: string): Span[] => {
    if (nextStop(text, 0) === text.length) return withDigitlessKeys(text, []);
    const reader = openReader(text);
    reader.readTo(text.length);
    return withDigitlessKeys(text, reader.spans);
  },
  {
    *inSteps(text: string) {
      const reader = openReader(text);
      yield* advanceInSteps(text.length, reader.readTo);
      return withDigitlessKeys(text, reader.spans);
    },
  },
);

function openReader(text: string): { spans: Span[]; readTo: (end: number) => void } {
  let scan = createScan(text);
  let offset = 0;
  const readTo = (end: number): void => {
    let i = nextStop(scan.text, offset);
    for (; i < end; i = nextStop(scan.text, i)) {
      const c = scan.text.charCodeAt(i);
      if (c >= 128) scan = { ...scan, text: foldWide(text) };
      else if (isDigit(c)) i = onDigit(scan, i);
      else i = onStopChar(scan, c, i);
    }
    offset = i;
  };
  return { spans: scan.spans, readTo };
}

/**
 * Adds secret keys that the scan missed or found only in part, because it stops at few characters,
 * and merges them with overlapping spans.
 */
function withDigitlessKeys(text: string, spans: Span[]): Span[] {
  const keys = findDigitlessKeys(text);
  if (keys.length === 0) return spans;
  const allSpans: Span[] = [];
  let next = 0;
  for (const key of keys) {
    let { start, end } = key;
    while ((spans[next]?.end ?? Infinity) <= start) allSpans.push(spans[next++] as Span);
    for (; (spans[next]?.start ?? Infinity) < end; next++) {
      start = Math.min(start, (spans[next] as Span).start);
      end = Math.max(end, (spans[next] as Span).end);
    }
    if (start >= (allSpans.at(-1)?.end ?? 0)) allSpans.push({ start, end, category: 'SECRET' });
  }
  return [...allSpans, ...spans.slice(next)];
}

function nextStop(text: string, from: number): number {
  const stops = STOPS;
  const { length } = text;
  let i = from;
  while (i < length && stops[text.charCodeAt(i)] === 0) i++;
  return i;
}

function createScan(text: string): Scan {
  return {
    text,
    spans: [],
    groups: createDigitGroups(),
    lineStart: 0,
    blockStart: 0,
    header: { block: -1, cells: [], delimiter: 0, end: 0 },
    urlEnd: 0,
    urlAtSign: -1,
    decidedEnd: 0,
  };
}

/**
 * Processes the word that contains the digit at `offset` and returns the offset at which the scan
 * continues.
 */
function onDigit(scan: Scan, offset: number): number {
  const { text } = scan;
  const start = wordStart(text, offset, Math.max(scan.decidedEnd, offset - MAX_WORD));
  let flags = 0;
  let end = start;
  while (end < text.length) {
    const c = text.charCodeAt(end);
    const kind = c < 128 ? CLASS[c]! : 0;
    if (kind === 0) break;
    flags |= kind;
    end++;
  }
  const hit =
    findToken(scan, start, end, flags) ?? (start === offset ? findNumber(scan, offset) : undefined);
  return hit === undefined ? end : addFinding(scan, hit, start === offset ? offset + 1 : end);
}

function wordStart(text: string, offset: number, floor: number): number {
  let start = offset;
  while (start > floor && isWordChar(text.charCodeAt(start - 1))) start--;
  return start;
}

function onStopChar(scan: Scan, c: number, offset: number): number {
  if (c === 0x0a) {
    if (offset - scan.lineStart <= 1) scan.blockStart = offset + 1;
    scan.lineStart = offset + 1;
    return offset + 1;
  }
  const hit = findAtStopChar(scan, c, offset);
  return hit === undefined ? offset + 1 : addFinding(scan, hit, offset + 1);
}

function findAtStopChar(scan: Scan, c: number, offset: number): Found | undefined {
  const { text } = scan;
  if (c === 0x40) return offset === scan.urlAtSign ? undefined : findEmail(text, offset);
  if (c === 0x2d) return findAtDash(scan, offset);
  const next = text.charCodeAt(offset + 1);
  if (c === 0x3a && next === 0x2f && text.charCodeAt(offset + 2) === 0x2f)
    return onUrl(scan, offset);
  if (c === 0x3a && next === 0x3a) return findIpv6(text, hexStart(scan, offset));
  const address = c === 0x3a && isHex(next) ? findHexAddress(scan, offset) : undefined;
  const key = c === 0x3a && next === 0x41 ? findColonKey(text, offset) : undefined;
  return address ?? key ?? findAssignedSecret(text, offset);
}

function findHexAddress(scan: Scan, offset: number): Found | undefined {
  const start = hexStart(scan, offset);
  return start === offset ? undefined : (findMac(scan.text, start) ?? findIpv6(scan.text, start));
}

function hexStart(scan: Scan, offset: number): number {
  const floor = Math.max(scan.decidedEnd, offset - 4);
  let start = offset;
  while (start > floor && isHex(scan.text.charCodeAt(start - 1))) start--;
  return start;
}

function findAtDash(scan: Scan, offset: number): Found | undefined {
  const { text } = scan;
  if (text.charCodeAt(offset + 1) === 0x2d) return findPrivateKey(text, offset);
  const start = wordStart(text, offset, Math.max(scan.decidedEnd, offset - MAX_PREFIX));
  if (start === offset) return undefined;
  return findKnownKey(text, start) ?? (offset - start === 2 ? findMac(text, start) : undefined);
}

function onUrl(scan: Scan, offset: number): Found | undefined {
  const url = findUrl(scan.text, offset, scan.urlEnd);
  if (url === undefined) return undefined;
  scan.urlEnd = url.end;
  scan.urlAtSign = url.atSign ?? -1;
  const { credentials } = url;
  if (credentials === undefined) return findWebhookSecret(scan.text, url.start, url.end);
  return found(credentials.start, credentials.end, 'URL_CREDENTIALS');
}

/**
 * Adds `hit` and removes earlier spans inside it. Does not add it if it has no category or an
 * earlier span overlaps its start. Returns the offset at which the scan continues.
 */
function addFinding(scan: Scan, hit: Found, minNext: number): number {
  const next = Math.max(hit.end, minNext);
  const { spans } = scan;
  scan.decidedEnd = next;
  if (hit.category === undefined) return next;
  for (let last = spans.at(-1); last !== undefined && last.end > hit.start; last = spans.at(-1)) {
    if (last.start < hit.start) return next;
    spans.pop();
  }
  spans.push({ start: hit.start, end: hit.end, category: hit.category });
  return next;
}
