import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { conflict, ServiceError } from '@witan/contracts';
import type { CertificateDraft } from '@witan/contracts';
import { commitAnswer } from '@witan/proof';
import { makeAddress } from '../../test/requests.ts';
import { toTarget } from '../provider/provider.ts';
import { certify, toIntentDraft } from './record.ts';
import type { Ending, Intent } from './attempt.ts';
import type { CallSummary } from './plan.ts';
import type { LedgerClient } from '@witan/contracts';

const REQUEST_SHA256 = 'aa'.repeat(32);
const call: CallSummary = {
  workspaceId: 'ws_a',
  address: makeAddress({ requested: 'service-auto', kind: 'service-auto' }),
  requestSha256: REQUEST_SHA256,
  grounding: undefined,
  taskType: 'chat',
  announcedId: '',
  promptTokens: 12,
  client: 'chat-completions',
  isStreamed: false,
  wantsJson: false,
  wantsUsage: false,
};
const intent: Intent = {
  proofId: 'pf_1',
  call,
  target: toTarget('openai', 'gpt-full'),
  egress: {
    sha256: 'bb'.repeat(32),
    pii: { masked: 3, categories: ['EMAIL', 'PHONE'], uninspected: 1 },
  },
  reason: 'default_provider',
};
const ending: Ending = {
  choices: [{ index: 0, content: 'hello', toolCalls: [] }],
  finishReason: 'stop',
  usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12, estimated: false },
};

const failUnavailable = (): ServiceError => new ServiceError('LEDGER_UNAVAILABLE', 'down');

const openLedger = (failures: readonly ServiceError[]) => {
  const appends: {
    workspaceId: string;
    draft: CertificateDraft;
    reservationId?: string;
    at: number;
  }[] = [];
  const ledger: LedgerClient = {
    reserve: async () => {},
    release: async () => {},
    append: async (workspaceId, draft, reservationId) => {
      const failure = failures[appends.length];
      appends.push({ workspaceId, draft, reservationId, at: performance.now() });
      if (failure) throw failure;
      return draft.proofId;
    },
  };
  return { ledger, appended: appends };
};

describe('certify', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('appends once when the ledger responds', async () => {
    const { ledger, appended: appends } = openLedger([]);
    await certify(ledger, intent, ending);
    expect(appends).toHaveLength(1);
    expect(appends[0]).toMatchObject({
      workspaceId: 'ws_a',
      draft: {
        proofId: 'pf_1',
        requestSha256: REQUEST_SHA256,
        address: { requested: 'service-auto' },
        egress: {
          provider: 'openai',
          model: 'gpt-full',
          sha256: 'bb'.repeat(32),
          ...intent.egress.pii,
        },
        answer: { finishReason: 'stop', sha256: commitAnswer(ending.choices), usage: ending.usage },
        routing: { taskType: 'chat', reason: 'default_provider' },
      },
    });
  });

  it('records why this target was chosen, not why the first one was', async () => {
    const { ledger, appended: appends } = openLedger([]);
    await certify(ledger, { ...intent, proofId: 'pf_2', reason: 'fallback' }, ending);
    expect(appends[0]!.draft).toMatchObject({
      proofId: 'pf_2',
      routing: { taskType: 'chat', reason: 'fallback' },
    });
  });

  it.each([
    [
      'a grounded call',
      {
        passages: [{ source: 'kns_1', chunkId: 'c', page: 2, sha256: REQUEST_SHA256 }],
      },
    ],
    ['a grounded call without passages', { passages: [] }],
    ['a call that is not grounded', undefined],
  ])('stores the grounding of %s', async (_name, grounding) => {
    const { ledger, appended: appends } = openLedger([]);
    await certify(ledger, { ...intent, call: { ...call, grounding } }, ending);
    expect(appends[0]!.draft.grounding).toEqual(grounding);
  });

  it('retries the same append with growing delays until the ledger is back', async () => {
    const { ledger, appended: appends } = openLedger(Array.from({ length: 8 }, failUnavailable));
    const done = certify(ledger, intent, ending);
    await jest.advanceTimersByTimeAsync(10_000);
    await done;
    expect(appends).toHaveLength(9);
    const waits = appends.slice(1).map(({ at }, index) => at - appends[index]!.at);
    expect(waits).toEqual([25, 50, 100, 200, 400, 800, 1_000, 1_000]);
    for (const { draft } of appends) expect(draft).toEqual(appends[0]!.draft);
  });

  it('gives up after ten seconds', async () => {
    const { ledger, appended: appends } = openLedger(Array.from({ length: 100 }, failUnavailable));
    const startedAt = performance.now();
    const outcome = certify(ledger, intent, ending);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toMatchObject({
      state: 'failed',
      error: { reason: 'LEDGER_UNAVAILABLE' },
      proofId: intent.proofId,
    });
    const last = appends.at(-1)!.at - startedAt;
    expect(last).toBeGreaterThan(8_000);
    expect(last).toBeLessThanOrEqual(10_000);
  });

  it('settles its reservation under another id if one is given', async () => {
    const { ledger, appended: appends } = openLedger([]);
    const outcome = await certify(ledger, intent, ending, 'pf_answer');
    expect(outcome).toEqual({ state: 'durable', proofId: 'pf_answer' });
    expect(appends).toMatchObject([{ draft: { proofId: 'pf_answer' }, reservationId: 'pf_1' }]);
  });

  it('uses its own id when the given one belongs to another call, and reports that', async () => {
    const { ledger, appended: appends } = openLedger([conflict('taken')]);
    const outcome = await certify(ledger, intent, ending, 'pf_answer');
    expect(outcome).toMatchObject({
      state: 'renamed',
      proofId: 'pf_1',
      error: { reason: 'CONFLICT' },
    });
    const [first, second] = appends.map(({ draft }) => draft);
    expect(second).toEqual({ ...first, proofId: 'pf_1' });
  });

  it('gives up after ten seconds in total with two ids', async () => {
    const beforeConflict = Array.from({ length: 11 }, failUnavailable);
    const { ledger, appended: appends } = openLedger([
      ...beforeConflict,
      conflict('taken'),
      ...Array.from({ length: 100 }, failUnavailable),
    ]);
    const startedAt = performance.now();
    const outcome = certify(ledger, intent, ending, 'pf_answer');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(await outcome).toMatchObject({ error: { reason: 'LEDGER_UNAVAILABLE' } });
    expect(appends.filter(({ draft }) => draft.proofId === 'pf_1').length).toBeGreaterThan(1);
    expect(appends.at(-1)!.at - startedAt).toBeLessThanOrEqual(10_000);
  });

  it('names the id that the sweeper will use when the ledger stays unreachable', async () => {
    const { ledger } = openLedger(Array.from({ length: 100 }, failUnavailable));
    const announcedIntent = { ...intent, call: { ...call, announcedId: 'pf_answer' } };
    for (const proofId of ['pf_answer', undefined]) {
      const outcome = certify(ledger, announcedIntent, ending, proofId);
      await jest.advanceTimersByTimeAsync(60_000);
      expect(await outcome).toMatchObject({
        state: 'failed',
        error: { reason: 'LEDGER_UNAVAILABLE' },
        proofId: 'pf_answer',
      });
    }
  });

  it('does not retry when the ledger refuses', async () => {
    const { ledger, appended: appends } = openLedger([conflict('no reservation')]);
    const error = expect.objectContaining({ reason: 'CONFLICT', fields: {} });
    expect(await certify(ledger, intent, ending)).toEqual({
      state: 'failed',
      error,
      proofId: undefined,
    });
    expect(appends).toHaveLength(1);
  });

  it('rejects an error without a reason, which is a bug', async () => {
    const append = async (): Promise<never> => {
      throw new TypeError('bug');
    };
    const ledger = { ...openLedger([]).ledger, append };
    await expect(certify(ledger, intent, ending)).rejects.toThrow(TypeError);
  });
});

describe('toIntentDraft', () => {
  it('returns the certificate of a lost call', () => {
    expect(toIntentDraft(intent)).toMatchObject({
      proofId: 'pf_1',
      egress: { sha256: intent.egress.sha256, ...intent.egress.pii },
      answer: {
        sha256: commitAnswer([]),
        finishReason: 'lost',
        usage: { promptTokens: 12, completionTokens: 0, totalTokens: 12, estimated: true },
      },
    });
  });
});
