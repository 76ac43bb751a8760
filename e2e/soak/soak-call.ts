import type { Random } from '@witan/testing/create-random';

/**
 * When clients abort: before the provider's headers, before its first token, or in the middle of
 * the stream.
 */
export const ABORT_WINDOWS = ['headers', 'first-token', 'stream'] as const;
export type AbortWindow = (typeof ABORT_WINDOWS)[number];

/** Timing and length of the provider's response; times in milliseconds. */
export type Pacing = {
  /**
   * Time from the request to the headers; `firstTokenMs` is the time from the headers to the first
   * token.
   */
  headersMs: number;
  firstTokenMs: number;
  chunks: number;
  gapMs: number;
};

export type Abort =
  | { window: 'headers' | 'first-token'; afterMs: number }
  | { window: 'stream'; afterReads: number };

/** A call whose dialect, provider, timing and abort are chosen at random. */
export type SoakCall = {
  id: number;
  dialect: 'chat' | 'messages';
  provider: 'openai' | 'anthropic';
  pacing: Pacing;
  abort: Abort | undefined;
};

/** Share of the calls that clients abort. */
export const ABORTED_SHARE = 0.3;
/**
 * Share of the calls that use a model of a provider with the other dialect, so that they are
 * translated.
 */
const CROSSED_SHARE = 0.2;
const HEADERS_MS = { min: 20, max: 150 };
const FIRST_TOKEN_MS = { min: 30, max: 200 };
const CHUNKS = { min: 8, max: 60 };
const GAP_MS = { min: 10, max: 50 };

/**
 * Returns a random call. Both dialects are equally likely. Clients abort some calls at a random
 * moment of a random phase.
 */
export const drawCall = (id: number, random: Random): SoakCall => {
  const between = ({ min, max }: { min: number; max: number }): number => random.integer(min, max);
  const dialect = random.next() < 0.5 ? 'chat' : 'messages';
  const isCrossed = random.next() < CROSSED_SHARE;
  const pacing = {
    headersMs: between(HEADERS_MS),
    firstTokenMs: between(FIRST_TOKEN_MS),
    chunks: between(CHUNKS),
    gapMs: between(GAP_MS),
  };
  return {
    id,
    dialect,
    provider: (dialect === 'chat') === isCrossed ? 'anthropic' : 'openai',
    pacing,
    abort: random.next() < ABORTED_SHARE ? drawAbort(pacing, random) : undefined,
  };
};

const drawAbort = (pacing: Pacing, random: Random): Abort => {
  const window = ABORT_WINDOWS[random.integer(0, ABORT_WINDOWS.length - 1)]!;
  const { headersMs, firstTokenMs, chunks } = pacing;
  if (window === 'stream') return { window, afterReads: random.integer(1, chunks - 2) };
  return window === 'headers'
    ? { window, afterMs: random.integer(0, headersMs) }
    : { window, afterMs: random.integer(headersMs, headersMs + firstTokenMs) };
};

const MODELS = { openai: 'gpt-5', anthropic: 'claude-sonnet-5-5' };

/**
 * Returns the body of a call. Its message is unique and contains the timing, which the provider
 * reads.
 */
export const toBody = ({ id, dialect, provider, pacing }: SoakCall): string => {
  const { headersMs, firstTokenMs, chunks, gapMs } = pacing;
  const content = `soak-${id}-${headersMs}-${firstTokenMs}-${chunks}-${gapMs}-`;
  return JSON.stringify({
    model: MODELS[provider],
    ...(dialect === 'messages' ? { max_tokens: 1_000 } : {}),
    stream: true,
    messages: [{ role: 'user', content }],
  });
};

/**
 * Returns the id and the timing that `toBody` encoded in a body. Throws Error if the body is not
 * from `toBody`.
 */
export const parseBody = (body: string): { id: number; pacing: Pacing } => {
  const found = /soak-(\d+)-(\d+)-(\d+)-(\d+)-(\d+)-/.exec(body);
  if (!found) throw new Error('The body is not from toBody.');
  const [id, headersMs, firstTokenMs, chunks, gapMs] = found.slice(1).map(Number);
  const pacing = {
    headersMs: headersMs!,
    firstTokenMs: firstTokenMs!,
    chunks: chunks!,
    gapMs: gapMs!,
  };
  return { id: id!, pacing };
};
