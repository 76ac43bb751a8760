import type { AnswerGatherer, ReportedUsage } from './answer.ts';
import { asCount, asList, asMembers, takeCount, toReportedUsage } from './answer.ts';
import { sha256Hex } from './bytes.ts';
import { commitmentText } from './commitment.ts';
import type { Uses } from './uses.ts';

/** Collects the vectors of a response of `POST /v1/embeddings`. */
export type EmbeddingGatherer = AnswerGatherer & {
  /** Returns each vector as base64 of little-endian 32-bit floats. */
  vectors(): string[];
};

/**
 * Returns the text whose SHA-256 is `response.sha256` in the certificate of embeddings: the
 * canonical list of the vectors, each as base64 of little-endian 32-bit floats.
 */
export function embeddingCommitmentText(vectors: readonly string[]): string {
  return commitmentText(vectors);
}

export function commitEmbeddings(vectors: readonly string[]): string {
  return sha256Hex(embeddingCommitmentText(vectors));
}

/**
 * Creates an empty gatherer of embeddings. A vector that is neither a list of numbers nor base64 of
 * whole floats makes the response one without vectors. Nothing is thrown.
 */
export function createEmbeddingAnswer(uses?: Uses): EmbeddingGatherer {
  let vectors: string[] = [];
  let usage: ReportedUsage | undefined;
  let bytes = 0;
  let contradiction: string | undefined;
  const readRow = (value: unknown, position: number): string | undefined => {
    const row = asMembers(value);
    if (row === undefined) return undefined;
    const vector = toBase64Vector(row['embedding']);
    // Base64 has several spellings of the same bytes, of which a certificate has one.
    const { embedding } = row;
    if (typeof embedding !== 'string' || embedding === vector) uses?.mark(row, 'embedding');
    if (row['object'] === 'embedding') uses?.mark(row, 'object');
    // Clients read vectors by position.
    const index = takeCount(uses, row, 'index');
    if (index !== undefined && index !== position) contradiction ??= ANOTHER_ORDER;
    return vector;
  };
  return {
    body: (parsed) => {
      const answer = asMembers(parsed) ?? {};
      const rows = asList(answer['data']).map(readRow);
      vectors = rows.every((row) => row !== undefined) ? rows : [];
      bytes = vectors.reduce((sum, { length }) => sum + length, 0);
      const counts = asMembers(answer['usage']);
      usage = counts && toEmbeddingUsage(counts);
      if (counts) uses?.markLast('usage', counts, countNames(counts));
    },
    chunk: () => {},
    choices: () => [],
    vectors: () => vectors,
    get finishReason() {
      return vectors.length > 0 ? ('stop' as const) : undefined;
    },
    get usage() {
      return usage;
    },
    get contentBytes() {
      return bytes;
    },
    get contradiction() {
      return contradiction;
    },
  };
}

const ANOTHER_ORDER = 'data[].index is not the position of its vector';

const countNames = (usage: Record<string, unknown>): string[] =>
  ['prompt_tokens', 'total_tokens'].filter((name) => asCount(usage[name]) !== undefined);

/**
 * Returns a vector as base64 of little-endian 32-bit floats, given as that or as a list of numbers,
 * which are rounded; undefined for anything else and for values that are not finite. Afterwards
 * negative zero becomes zero, because JSON in most languages does not preserve it.
 */
export function toBase64Vector(value: unknown): string | undefined {
  const numbers = typeof value === 'string' ? (parseBase64Vector(value) ?? []) : asList(value);
  return numbers.length > 0 && numbers.every(isFloat) ? encodeVector(numbers) : undefined;
}

function isFloat(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(Math.fround(value));
}

/** Returns the numbers of a vector in base64; undefined if it is not base64 of whole floats. */
export function parseBase64Vector(text: string): number[] | undefined {
  if (text === '' || !/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0)
    return undefined;
  const binary = atob(text);
  if (binary.length % FLOAT_BYTES !== 0) return undefined;
  const view = new DataView(new ArrayBuffer(binary.length));
  for (let i = 0; i < binary.length; i += 1) view.setUint8(i, binary.charCodeAt(i));
  const numbers: number[] = [];
  for (let i = 0; i < binary.length; i += FLOAT_BYTES) numbers.push(view.getFloat32(i, true));
  return numbers;
}

const FLOAT_BYTES = 4;
/** Bytes that are converted at once, because a call has a limited number of arguments. */
const SLICE_BYTES = 8_192;

function encodeVector(numbers: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(numbers.length * FLOAT_BYTES));
  for (const [i, one] of numbers.entries())
    view.setFloat32(i * FLOAT_BYTES, Math.fround(one) + 0, true);
  const bytes = new Uint8Array(view.buffer);
  let binary = '';
  for (let i = 0; i < bytes.length; i += SLICE_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(i, i + SLICE_BYTES));
  }
  return btoa(binary);
}

function toEmbeddingUsage(counts: Record<string, unknown>): ReportedUsage | undefined {
  const promptTokens = asCount(counts['prompt_tokens']) ?? asCount(counts['total_tokens']);
  return toReportedUsage({
    promptTokens,
    completionTokens: 0,
    totalTokens: asCount(counts['total_tokens']),
    cachedTokens: undefined,
    cacheWriteTokens: undefined,
    reasoningTokens: undefined,
  });
}
