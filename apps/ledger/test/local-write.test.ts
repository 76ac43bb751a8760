import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CertificateDraft, LocalLedger } from '@witan/contracts';
import { LedgerService } from '@witan/contracts/services';
import { createInProcessTransport, newId } from '@witan/service-kit';
import { Client } from 'pg';
import { LONG_MS, makeDraft } from './drafts.ts';
import type { DraftOverrides } from './drafts.ts';
import { openLedger, openLedgerFixture, optionsFor } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

const UNMETERED = { expiresInMs: LONG_MS, amount: 0, minimum: 0 };
const good = makeDraft();
const withUsage = (usage: object): DraftOverrides => ({
  answer: { ...good.answer, usage: { ...good.answer.usage, ...usage } },
});

const openLocal = async ({ service }: TestLedger, caller = 'llm-gateway'): Promise<LocalLedger> => {
  const transport = createInProcessTransport({ caller, dispatcher: () => service.dispatcher });
  return (await transport.direct!(LedgerService.method.write)!({}, {})) as LocalLedger;
};

const reserve = (local: LocalLedger, workspaceId: string, intent: CertificateDraft) =>
  local.reserve(workspaceId, { ...UNMETERED, intent });

const outcomesOf = async (writes: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(writes)).map((write) =>
    write.status === 'fulfilled' ? 'durable' : String(write.reason.reason),
  );

describe('the ledger for a caller of the same process', () => {
  let fixture: LedgerFixture;
  let ledger: TestLedger;
  let local: LocalLedger;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
    local = await openLocal(ledger);
  });
  afterAll(async () => {
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  it('reserves, and certifies once, also under another id', async () => {
    const [workspaceId, draft, answerId] = [newId('ws'), makeDraft(), newId('pf')];
    expect(await reserve(local, workspaceId, draft)).toBeUndefined();
    const answer = { ...draft, proofId: answerId };
    expect(await local.append(workspaceId, answer, draft.proofId)).toBe(answerId);
    expect(await local.append(workspaceId, draft)).toBe(answerId);
    const { certificates } = await ledger.certificates.listCertificates(
      { fromIndex: 0, limit: 10 },
      optionsFor(workspaceId),
    );
    expect(certificates).toHaveLength(1);
    await expect(reserve(local, workspaceId, draft)).rejects.toMatchObject({
      reason: 'CONFLICT',
      fields: { code: 'proof_id_settled', proof: answerId },
    });
  });

  it('releases', async () => {
    const [workspaceId, draft] = [newId('ws'), makeDraft()];
    await reserve(local, workspaceId, draft);
    await local.release(workspaceId, draft.proofId);
    expect(await outcomesOf([local.append(workspaceId, draft)])).toEqual(['CONFLICT']);
  });

  it('is refused to callers that may not write', async () => {
    await expect(openLocal(ledger, 'api-gateway')).rejects.toMatchObject({
      reason: 'CALLER_REFUSED',
    });
  });

  it.each<[string, DraftOverrides]>([
    ['an invalid request hash', { requestSha256: 'AB'.repeat(32) }],
    ['text with an unpaired surrogate', { address: { ...good.address, requested: '\ud800' } }],
    ['a model of two lines', { egress: { ...good.egress, model: 'gpt\n4' } }],
    ['a lostProofId of another kind', { lostProofId: 'agt_0123456789abcdef0123' }],
    ['half a token', withUsage({ cachedTokens: 0.5 })],
  ])('refuses an intent with %s and no other write', async (_name, overrides) => {
    const workspaceId = newId('ws');
    const drafts = [makeDraft(), makeDraft(undefined, overrides), makeDraft()];
    const writes = drafts.map((draft) => reserve(local, workspaceId, draft));
    expect(await outcomesOf(writes)).toEqual(['durable', 'INVALID_REQUEST', 'durable']);
  });

  it.each([
    ['a negative count', withUsage({ totalTokens: -1 })],
    ['half a token', withUsage({ promptTokens: 2.5 })],
    ['no duration', { durationMs: Number.NaN as never }],
  ])('refuses an append with %s and no other write', async (_name, overrides) => {
    const workspaceId = newId('ws');
    const drafts = [makeDraft(), makeDraft(), makeDraft()] as const;
    for (const draft of drafts) await reserve(local, workspaceId, draft);
    const wrong = { ...drafts[1], ...(overrides as object) };
    const writes = [drafts[0], wrong, drafts[2]].map((draft) => local.append(workspaceId, draft));
    expect(await outcomesOf(writes)).toEqual(['durable', 'INVALID_REQUEST', 'durable']);
  });

  it.each(['', 'ws_a,ws_b', '*', 'w'.repeat(65)])(
    'refuses the workspace id "%s"',
    async (workspaceId) => {
      const writes = [
        reserve(local, workspaceId, makeDraft()),
        local.append(workspaceId, makeDraft()),
        local.release(workspaceId, newId('pf')),
      ];
      expect(await outcomesOf(writes)).toEqual(Array(3).fill('INVALID_REQUEST'));
    },
  );
});

it('a ledger that stops finishes the writes that it accepted and refuses others', async () => {
  await using fixture = await openLedgerFixture();
  const ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
  const local = await openLocal(ledger);
  const workspaceId = newId('ws');
  const drafts = Array.from({ length: 20 }, () => makeDraft());
  const accepted = drafts.map((draft) => reserve(local, workspaceId, draft));
  const stopping = ledger.service.stop();
  expect(local.stopping.aborted).toBe(true);
  const late = [reserve(local, workspaceId, makeDraft()), local.release(workspaceId, newId('pf'))];
  expect(await outcomesOf(late)).toEqual(Array(2).fill('LEDGER_UNAVAILABLE'));
  expect(await outcomesOf(accepted)).toEqual(Array(20).fill('durable'));
  await stopping;
  const admin = new Client({ connectionString: fixture.database.adminUrl });
  await admin.connect();
  const { rows } = await admin.query('SELECT count(*)::int AS count FROM ledger.reservation');
  await admin.end();
  expect(rows).toEqual([{ count: 20 }]);
});
