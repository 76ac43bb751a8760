import { describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { canonicalJson } from '@witan/proof';
import { toPayload } from '../chain/to-payload.ts';
import { makeDraft } from '../../test/drafts.ts';
import { toConditions } from './call.ts';
import type { CallReader, StoredCall } from './call.ts';
import { earlierAttemptsOf } from './fallback-chain.ts';
import { parseCursor, scanCalls } from './scan-calls.ts';

const LENGTH = 50_000;
const START_MS = Date.parse('2026-01-01T00:00:00.000Z');
const toCall = (chainIndex: number): StoredCall => {
  // Two certificates are issued in each second.
  const issuedAt = new Date(START_MS + Math.floor(chainIndex / 2) * 1_000).toISOString();
  const position = { issuer: 'witan', issuedAt, chainIndex, prevHash: '0'.repeat(64) };
  const payload = canonicalJson(toPayload(makeDraft(`pf_${'0'.repeat(22)}`), position));
  const columns = { apiKeyId: null, durationMs: null, cachedTokens: null, cacheWriteTokens: null };
  const signed = { id: `pf_${chainIndex}`, payloadHash: '', signature: '', keyId: '' };
  return { ...signed, ...columns, workspaceId: 'ws_a', chainIndex, payload };
};

/** A chain of which only every ten thousandth certificate fulfils the conditions. */
const openReader = () => {
  const queries: [number, number][] = [];
  const calls: CallReader = {
    headIndex: async () => LENGTH - 1,
    findFrom: async (_workspaceId, index) => (index < LENGTH ? toCall(index) : undefined),
    findIn: async (_workspaceId, { lowest, highest, newestFirst, limit }) => {
      queries.push([lowest, highest]);
      const indexes = [0, 10_000, 20_000, 30_000, 40_000].filter(
        (index) => index >= lowest && index <= highest,
      );
      return (newestFirst ? indexes.toReversed() : indexes).slice(0, limit).map(toCall);
    },
    findIds: async () => new Set(),
  };
  return { calls, queries };
};

const conditions = { apiKeyId: '', fragments: [] };

describe('scanCalls', () => {
  it('reads chunks until the page is full or the chain ends', async () => {
    const { calls, queries } = openReader();
    const deps = { calls, clock: () => 0 };
    const scan = { conditions, newestFirst: true, limit: 3 };
    const page = await scanCalls('ws_a', scan, deps);
    expect(page.calls.map(({ chainIndex }) => chainIndex)).toEqual([40_000, 30_000, 20_000]);
    const rest = await scanCalls('ws_a', { ...scan, start: Number(page.nextCursor) }, deps);
    expect(rest.calls.map(({ chainIndex }) => chainIndex)).toEqual([10_000, 0]);
    expect(rest.nextCursor).toBe('');
    expect(queries[0]).toEqual([30_000, 49_999]);
  });

  it('returns a short page with a cursor when its time is over', async () => {
    const { calls } = openReader();
    let now = 0;
    const clock = (): number => (now += 1_500);
    const scan = { conditions, newestFirst: false, limit: 5 };
    const found: number[] = [];
    for (let cursor = '0'; cursor !== '';) {
      const page = await scanCalls('ws_a', { ...scan, start: Number(cursor) }, { calls, clock });
      expect(page.calls.length).toBeLessThan(5);
      found.push(...page.calls.map(({ chainIndex }) => chainIndex));
      cursor = page.nextCursor;
    }
    expect(found).toEqual([0, 10_000, 20_000, 30_000, 40_000]);
  });

  it.each<[string, number | undefined, number | undefined, [number, number] | undefined]>([
    ['everything', undefined, undefined, [0, 19_999]],
    ['from a second on', 1_000, undefined, [2, 20_001]],
    ['from between two seconds on', 1_001, undefined, [4, 20_003]],
    ['up to a second', undefined, 1_000, [0, 3]],
    ['one second', 1_000, 1_999, [2, 3]],
    ['nothing', 1_001, 1_999, undefined],
    ['after the end', 99_999_000, undefined, undefined],
    ['before the beginning', undefined, -1, undefined],
  ])('finds the certificates of a time: %s', async (_name, from, to, first) => {
    const { calls, queries } = openReader();
    const times = {
      fromMs: from === undefined ? undefined : START_MS + from,
      toMs: to === undefined ? undefined : START_MS + to,
    };
    const scan = { conditions, newestFirst: false, limit: 5, ...times };
    await scanCalls('ws_a', scan, { calls, clock: () => 0 });
    expect(queries[0]).toEqual(first);
  });

  it.each(['x', '-1', '1e3', '1'.repeat(16)])('refuses the cursor %s', (cursor) => {
    let reason: unknown;
    try {
      parseCursor(cursor);
    } catch (error) {
      reason = isServiceError(error) && error.reason;
    }
    expect(reason).toBe('INVALID_REQUEST');
  });
});

describe('toConditions', () => {
  it('finds each member in canonical JSON, and not inside a text', () => {
    const position = {
      issuer: 'witan',
      issuedAt: '2026-01-01T00:00:00.000Z',
      chainIndex: 0,
      prevHash: '0'.repeat(64),
    };
    const filter = {
      agent: 'ann',
      addressKind: 'agent',
      model: 'agent:ann "quoted"',
      provider: 'openai',
      egressModel: 'gpt-5',
      apiKeyId: '',
      finishReason: 'stop',
      taskType: 'chat',
    };
    const address = { requested: filter.model, kind: 'agent', agent: 'ann' };
    const payload = canonicalJson(toPayload(makeDraft(undefined, { address }), position));
    const { fragments } = toConditions(filter);
    expect(fragments).toHaveLength(7);
    for (const fragment of fragments) {
      expect([fragment, payload.includes(fragment)]).toEqual([fragment, true]);
    }
    const forged = { requested: '"provider":"other"', kind: 'model' };
    const text = canonicalJson(toPayload(makeDraft(undefined, { address: forged }), position));
    const [fragment] = toConditions({ ...NO_FILTER, provider: 'other' }).fragments;
    expect(text).not.toContain(fragment);
  });
});

const NO_FILTER = {
  ...{ agent: '', addressKind: '', model: '', egressModel: '', apiKeyId: '' },
  ...{ finishReason: '', taskType: '', provider: '' },
};

describe('earlierAttemptsOf', () => {
  it.each([
    ['pf_af2', 'fallback', ['pf_a', 'pf_af1']],
    ['pf_af1', 'fallback', ['pf_a']],
    ['pf_af2', 'passthrough', []],
    ['pf_announced', 'fallback', []],
  ] as const)('of %s, chosen as %s, are %j', (id, reason, expected) => {
    expect(earlierAttemptsOf({ id, routing: { taskType: 'chat', reason } })).toEqual(expected);
  });
});
