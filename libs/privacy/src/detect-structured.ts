import { findAssignedSecret } from './secret/find-assigned-secret.ts';
import { findColonKey, findWebhookSecret } from './secret/key-form.ts';
import { findDigitlessKeys, findKnownKey } from './secret/known-key.ts';
import { findPrivateKey } from './secret/private-key.ts';
import type { Span } from './span.ts';
import { CLASS, isDigit, isHex, isWordChar } from './structured/char-class.ts';
import { createDigitGroups } from './structured/digit-groups.ts';
import { findEmail } from './structured/find-email.ts';
import { findIpv6 } from './structured/find-ipv6.ts';
import { findMac } from './structured/find-mac.ts';
import { findNumber } from './structured/find-number.ts';
import { findToken } from './structured/find-token.ts';
import { findUrl } from './structured/find-url.ts';
import { foldWide } from './structured/fold-wide.ts';
import { type Found, found, type Scan } from './structured/scan.ts';
import { STOPS } from './structured/stops.ts';

/**
 * Maximum distances from a digit back to the start of its word (`MAX_WORD`) and from a dash back to
 * the start of a key prefix (`MAX_PREFIX`).
 */
const MAX_WORD = 128;
const MAX_PREFIX = 10;

/**
 * Finds e-mail addresses, phone numbers, cards, accounts, identity numbers, network and wallet
 * addresses, dates of birth and secrets. Returns ascending spans without overlaps. Time is linear:
 * it scans once, stops at digits and a few other characters, and examines a bounded range around
 * them.
 */
export function detectStructured(text: string): Span[] {
  let scan = createScan(text);
  for (let i = nextStop(text, 0); i < text.length; i = nextStop(scan.text, i)) {
    const c = scan.text.charCodeAt(i);
    if (c >= 128) scan = { ...scan, text: foldWide(text) };
    else if (isDigit(c)) i = onDigit(scan, i);
    else i = onStopChar(scan, c, i);
  }
  return withDigitlessKeys(text, scan.spans);
}

/**
 * Adds secret keys that the scan missed or found only in part, because it stops only at digits, and
 * merges them with overlapping spans.
 */
function withDigitlessKeys(text: string, spans: Span[]): Span[] {
  const keys = findDigitlessKeys(text);
  if (keys.length === 0) return spans;
  const all: Span[] = [];
  let next = 0;
  for (const key of keys) {
    let { start, end } = key;
    while ((spans[next]?.end ?? Infinity) <= start) all.push(spans[next++] as Span);
    for (; (spans[next]?.start ?? Infinity) < end; next++) {
      start = Math.min(start, (spans[next] as Span).start);
      end = Math.max(end, (spans[next] as Span).end);
    }
    if (start >= (all.at(-1)?.end ?? 0)) all.push({ start, end, category: 'SECRET' });
  }
  return [...all, ...spans.slice(next)];
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
 * Processes the word that contains the digit at `at` and returns the offset at which the scan
 * continues.
 */
function onDigit(scan: Scan, at: number): number {
  const { text } = scan;
  const start = wordStart(text, at, Math.max(scan.decidedEnd, at - MAX_WORD));
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
    findToken(scan, start, end, flags) ?? (start === at ? findNumber(scan, at) : undefined);
  return hit === undefined ? end : addFinding(scan, hit, start === at ? at + 1 : end);
}

function wordStart(text: string, at: number, floor: number): number {
  let start = at;
  while (start > floor && isWordChar(text.charCodeAt(start - 1))) start--;
  return start;
}

function onStopChar(scan: Scan, c: number, at: number): number {
  if (c === 0x0a) {
    if (at - scan.lineStart <= 1) scan.blockStart = at + 1;
    scan.lineStart = at + 1;
    return at + 1;
  }
  const hit = findAtStopChar(scan, c, at);
  return hit === undefined ? at + 1 : addFinding(scan, hit, at + 1);
}

function findAtStopChar(scan: Scan, c: number, at: number): Found | undefined {
  const { text } = scan;
  if (c === 0x40) return at === scan.urlAtSign ? undefined : findEmail(text, at);
  if (c === 0x2d) return findAtDash(scan, at);
  const next = text.charCodeAt(at + 1);
  if (c === 0x3a && next === 0x2f && text.charCodeAt(at + 2) === 0x2f) return onUrl(scan, at);
  if (c === 0x3a && next === 0x3a) return findIpv6(text, hexStart(scan, at));
  const address = c === 0x3a && isHex(next) ? findHexAddress(scan, at) : undefined;
  const key = c === 0x3a && next === 0x41 ? findColonKey(text, at) : undefined;
  return address ?? key ?? findAssignedSecret(text, at);
}

function findHexAddress(scan: Scan, at: number): Found | undefined {
  const start = hexStart(scan, at);
  return start === at ? undefined : (findMac(scan.text, start) ?? findIpv6(scan.text, start));
}

function hexStart(scan: Scan, at: number): number {
  const floor = Math.max(scan.decidedEnd, at - 4);
  let start = at;
  while (start > floor && isHex(scan.text.charCodeAt(start - 1))) start--;
  return start;
}

function findAtDash(scan: Scan, at: number): Found | undefined {
  const { text } = scan;
  if (text.charCodeAt(at + 1) === 0x2d) return findPrivateKey(text, at);
  const start = wordStart(text, at, Math.max(scan.decidedEnd, at - MAX_PREFIX));
  if (start === at) return undefined;
  return findKnownKey(text, start) ?? (at - start === 2 ? findMac(text, start) : undefined);
}

function onUrl(scan: Scan, at: number): Found | undefined {
  const url = findUrl(scan.text, at, scan.urlEnd);
  if (url === undefined) return undefined;
  scan.urlEnd = url.end;
  scan.urlAtSign = url.at ?? -1;
  const { credentials } = url;
  if (credentials === undefined) return findWebhookSecret(scan.text, url.start, url.end);
  return found(credentials.start, credentials.end, 'URL_CREDENTIALS');
}

/**
 * Adds `hit`, which replaces earlier spans inside it, and returns the offset at which the scan
 * continues.
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
