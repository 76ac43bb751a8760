import { invalidRequest } from '@witan/contracts';
import { parsePayload } from '@witan/proof';
import type { CallConditions, CallReader, IndexRange, StoredCall } from './call.ts';

/** Certificates that one query reads. */
const CHUNK = 20_000;
/** Time after which a scan returns what it has found, in milliseconds. */
const SCAN_MS = 2_000;

export type CallScan = {
  conditions: CallConditions;
  newestFirst: boolean;
  limit: number;
  /** First and last time of issue in milliseconds, both inclusive. */
  fromMs?: number | undefined;
  toMs?: number | undefined;
  /** Index at which to begin; default: the end of the chain from which the scan starts. */
  start?: number | undefined;
};

export type CallPage = { calls: StoredCall[]; nextCursor: string };

/**
 * Returns a page of the certificates that fulfil the conditions, in the order of the chain or in
 * the opposite one. Reads for about 2 s at most, so a page can have fewer than `limit` items before
 * the last page. No index serves the conditions, because each would cost every commit more than a
 * reader gains; times are found by binary search, because they never decrease along a chain.
 */
export const scanCalls = async (
  workspaceId: string,
  scan: CallScan,
  { calls: reader, clock }: { calls: CallReader; clock: () => number },
): Promise<CallPage> => {
  const range = await toRange(workspaceId, scan, reader);
  const stopAt = clock() + SCAN_MS;
  const { newestFirst, limit, conditions } = scan;
  const found: StoredCall[] = [];
  while (range.lowest <= range.highest) {
    const chunk = newestFirst
      ? { ...range, lowest: Math.max(range.lowest, range.highest - CHUNK + 1) }
      : { ...range, highest: Math.min(range.highest, range.lowest + CHUNK - 1) };
    // One more than needed shows whether another page follows.
    const query = { ...chunk, conditions, newestFirst, limit: limit - found.length + 1 };
    found.push(...(await reader.findIn(workspaceId, query)));
    const next = found[limit];
    if (next) return { calls: found.slice(0, limit), nextCursor: String(next.chainIndex) };
    if (newestFirst) range.highest = chunk.lowest - 1;
    else range.lowest = chunk.highest + 1;
    if (clock() > stopAt && range.lowest <= range.highest) {
      return { calls: found, nextCursor: String(newestFirst ? range.highest : range.lowest) };
    }
  }
  return { calls: found, nextCursor: '' };
};

/** Returns the index that a cursor contains. Throws INVALID_REQUEST if it is malformed. */
export const parseCursor = (cursor: string): number | undefined => {
  if (cursor === '') return undefined;
  if (!/^\d{1,15}$/.test(cursor))
    throw invalidRequest('The cursor is not one that a list returned.');
  return Number(cursor);
};

const toRange = async (
  workspaceId: string,
  { newestFirst, fromMs, toMs, start }: CallScan,
  reader: CallReader,
): Promise<IndexRange> => {
  const head = await reader.headIndex(workspaceId);
  const indexOf = (timeMs: number) => findIndexAt(workspaceId, { timeMs, head }, reader);
  const lowest = fromMs === undefined ? 0 : await indexOf(fromMs);
  const highest = toMs === undefined ? head : (await indexOf(toMs + 1)) - 1;
  if (start === undefined) return { lowest, highest };
  return newestFirst
    ? { lowest, highest: Math.min(highest, start) }
    : { lowest: Math.max(lowest, start), highest };
};

/** Returns the index of the first certificate issued at or after a time; after the head if none. */
const findIndexAt = async (
  workspaceId: string,
  { timeMs, head }: { timeMs: number; head: number },
  reader: CallReader,
): Promise<number> => {
  let [low, high] = [0, head + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await reader.findFrom(workspaceId, middle);
    const issuedAt = row && Date.parse(parsePayload(JSON.parse(row.payload)).issuedAt);
    if (issuedAt === undefined || issuedAt >= timeMs) high = middle;
    else low = middle + 1;
  }
  return low;
};
