import { isDigit, isWordChar } from '../structured/char-class.ts';
import { type Found, found } from '../structured/scan.ts';
import { findKnownKey } from './known-key.ts';
import { isRandom } from './secret-value.ts';

/** Forms of secret keys that have no distinctive prefix, matched from the start of a word. */
const PATTERNS: readonly RegExp[] = [
  /^pat\w{14}\.[0-9a-f]{64}(?!\w)/,
  /^\w{14}\.atlasv1\.[\w-]{60,70}(?![\w-])/,
  /^[0-9a-f]{32}-us\d{1,2}(?!\w)/,
  /^[MNO][\w-]{23,27}\.[\w-]{6,7}\.[\w-]{27,38}(?![\w-])/,
  /^\w{3}\dQ~[\w~.-]{31,34}(?![\w~.-])/,
];
const RESEND_KEY = /^re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}$/;
const MAX_LENGTH = 90;
const LENGTHS: ReadonlySet<number> = new Set([5, 14, 17, 24, 25, 26, 27, 28, 32]);
const MAX_SEGMENT = 6;
const MAX_SEGMENTS = 2;
const BOT_TOKEN = /^AA[\w-]{33}(?![\w-])/;
const PUSH_TOKEN = /^APA91b[\w-]{100,160}/;

export function findKeyForm(text: string, start: number, end: number): Found | undefined {
  if (
    text.startsWith('re_', start) &&
    end - start === 36 &&
    RESEND_KEY.test(text.slice(start, end))
  ) {
    return found(start, end, 'SECRET');
  }
  const charAfter = text.charCodeAt(end);
  if (charAfter !== 0x2e && charAfter !== 0x2d && charAfter !== 0x7e) return undefined;
  if (!LENGTHS.has(end - start)) return undefined;
  const rest = text.slice(start, start + MAX_LENGTH);
  for (const form of PATTERNS) {
    const length = form.exec(rest)?.[0].length ?? 0;
    if (length > 0 && isRandom(rest.slice(0, length)))
      return found(start, start + length, 'SECRET');
  }
  return undefined;
}

/** Finds a secret key whose prefix ends with the dot before `start`: `SG.`, `hvs.`, `dp.pt.`. */
export function findDottedKey(text: string, start: number): Found | undefined {
  let offset = start;
  for (let segment = 0; segment < MAX_SEGMENTS; segment++) {
    if (text.charCodeAt(offset - 1) !== 0x2e) return undefined;
    const dot = offset - 1;
    offset = dot;
    while (offset > dot - MAX_SEGMENT && isWordChar(text.charCodeAt(offset - 1))) offset--;
    if (offset === dot) return undefined;
    const key = findKnownKey(text, offset);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** Webhook URLs of Slack, Discord and Microsoft; their path authorizes posting. */
const WEBHOOK_URL = new RegExp(
  [
    'https://hooks\\.slack\\.com/(?:services|workflows|triggers)/',
    'https://(?:\\w+\\.)?discord(?:app)?\\.com/api/webhooks/',
    'https://[\\w-]+\\.webhook\\.office\\.com/webhookb2/',
  ]
    .map((form) => `^${form}`)
    .join('|'),
);
const MAX_PREFIX = 60;
const MIN_URL = 64;

export function findWebhookSecret(text: string, start: number, end: number): Found | undefined {
  if (end - start < MIN_URL) return undefined;
  const head =
    WEBHOOK_URL.exec(text.slice(start, Math.min(end, start + MAX_PREFIX)))?.[0].length ?? 0;
  const path = text.slice(start + head, end);
  return head > 0 && isRandom(path) ? found(start + head, end, 'SECRET') : undefined;
}

/**
 * Finds a token of a Telegram bot or a Firebase device: it contains the colon at `offset`, followed
 * by `A`.
 */
export function findColonKey(text: string, offset: number): Found | undefined {
  const rest = text.slice(offset + 1, offset + 180);
  let start = offset;
  while (start > offset - 12 && isWordChar(text.charCodeAt(start - 1))) start--;
  const bot = BOT_TOKEN.exec(rest);
  if (bot !== null) {
    const first = text.slice(start, offset).replace(/^bot/, '');
    const isBot = /^\d{8,10}$/.test(first);
    return isBot ? found(offset - first.length, offset + 1 + bot[0].length, 'SECRET') : undefined;
  }
  const push = PUSH_TOKEN.exec(rest);
  if (push === null || offset - start !== 11 || isDigit(text.charCodeAt(start - 1)))
    return undefined;
  return found(start, offset + 1 + push[0].length, 'SECRET');
}
