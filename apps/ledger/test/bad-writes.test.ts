import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { appendOf, LONG_MS, makeDraft, releaseOf, reserveOf } from './drafts.ts';
import type { DraftOverrides } from './drafts.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';

const good = makeDraft();
const withUsage = (usage: object): DraftOverrides => ({
  answer: { ...good.answer, usage: { ...good.answer.usage, ...usage } },
});

const BAD_DRAFTS: readonly (readonly [string, DraftOverrides])[] = [
  ['no address', { address: undefined }],
  ['no egress', { egress: undefined }],
  ['no answer', { answer: undefined }],
  ['an answer without usage', { answer: { ...good.answer, usage: undefined } }],
  ['no routing', { routing: undefined }],
  ['a proof id of another kind', { proofId: 'agt_0123456789abcdef0123' }],
  ['an invalid request hash', { requestSha256: 'AB'.repeat(32) }],
  ['an egress hash that is too short', { egress: { ...good.egress, sha256: 'ab' } }],
  ['a finish reason outside the closed set', { answer: { ...good.answer, finishReason: 'eos' } }],
  ['a routing reason outside the closed set', { routing: { taskType: 'chat', reason: 'mood' } }],
  ['a task type outside the closed set', { routing: { taskType: 'poem', reason: 'forced' } }],
  ['an unknown address kind', { address: { ...good.address, kind: 'oracle' } }],
  ['an agent address without its agent', { address: { ...good.address, kind: 'agent' } }],
  ['grounding on a plain model', { grounding: { passages: [] } }],
  ['knowledge without grounding', { address: { ...good.address, knowledge: true } }],
  ['text with an unpaired surrogate', { address: { ...good.address, requested: 'gpt-\ud800' } }],
  ['an empty requested model', { address: { ...good.address, requested: '' } }],
  ['a model of two lines', { egress: { ...good.egress, model: 'gpt\n4' } }],
  ['no name of its provider', { egress: { ...good.egress, provider: '' } }],
  ['masked values without a category', { egress: { ...good.egress, masked: 2, categories: [] } }],
  ['a total that is not a safe integer', withUsage({ totalTokens: 2 ** 60 })],
];

describe('the ledger refuses with INVALID_REQUEST', () => {
  let fixture: LedgerFixture;
  let ledger: TestLedger;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    ledger = await openLedger(fixture, { signingKeyFile: await fixture.newKeyFile() });
  });
  afterAll(async () => {
    await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const writeWithValid = async (
    invalidWrite: Parameters<TestLedger['writer']['write']>[0],
  ): Promise<[string, string]> => {
    const workspaceId = newId('ws');
    const [, refused, neighbour] = await Promise.allSettled([
      ledger.writer.write(reserveOf(workspaceId, makeDraft())),
      ledger.writer.write(invalidWrite),
      ledger.writer.write(reserveOf(workspaceId, makeDraft())),
    ]);
    const reason = refused.status === 'rejected' ? String(refused.reason.reason) : 'accepted';
    return [reason, neighbour.status];
  };
  const REFUSED_OUTCOMES = ['INVALID_REQUEST', 'fulfilled'];

  it.each(BAD_DRAFTS)('an append whose draft has %s', async (_name, overrides) => {
    expect(await writeWithValid(appendOf(newId('ws'), makeDraft(undefined, overrides)))).toEqual(
      REFUSED_OUTCOMES,
    );
  });

  it.each(BAD_DRAFTS)('a reserve whose intent has %s', async (_name, overrides) => {
    const write = reserveOf(newId('ws'), makeDraft(undefined, overrides));
    expect(await writeWithValid(write)).toEqual(REFUSED_OUTCOMES);
  });

  it("a reserve whose intent is another call's", async () => {
    const write = reserveOf(newId('ws'), makeDraft());
    expect(
      await writeWithValid({
        ...write,
        action: { ...write.action, value: { ...write.action.value, proofId: newId('pf') } },
      }),
    ).toEqual(REFUSED_OUTCOMES);
  });

  it('a reserve whose lostProofId is not a proof id', async () => {
    const intent = { ...makeDraft(), lostProofId: 'agt_0123456789abcdef0123' };
    expect(await writeWithValid(reserveOf(newId('ws'), intent))).toEqual(REFUSED_OUTCOMES);
  });

  it.each([
    ['of another kind', 'ws_0123456789abcdef0123'],
    ['that is too short', 'pf_abc'],
  ])('an append to a reservation id %s', async (_name, id) => {
    expect(await writeWithValid(appendOf(newId('ws'), makeDraft(), id))).toEqual(REFUSED_OUTCOMES);
    const renamed = appendOf(newId('ws'), makeDraft('pf_abc'), newId('pf'));
    expect(await writeWithValid(renamed)).toEqual(REFUSED_OUTCOMES);
  });

  it.each([
    ['no workspace', ''],
    ['two workspace ids in one', 'ws_a,ws_b'],
    ['every workspace', '*'],
    ['a workspace id that is too long', 'w'.repeat(65)],
  ])('a write for %s', async (_name, workspaceId) => {
    expect(await writeWithValid(reserveOf(workspaceId, makeDraft()))).toEqual(REFUSED_OUTCOMES);
    expect(await writeWithValid(appendOf(workspaceId, makeDraft()))).toEqual(REFUSED_OUTCOMES);
    expect(await writeWithValid(releaseOf(workspaceId, newId('pf')))).toEqual(REFUSED_OUTCOMES);
  });

  it('a write without an action', async () => {
    expect(await writeWithValid({ workspaceId: newId('ws') })).toEqual(REFUSED_OUTCOMES);
  });

  it.each([
    ['of another kind', 'ws_0123456789abcdef0123'],
    ['that is too short', 'pf_abc'],
    ['with a quote', "pf_0123456789abcdef'0123"],
    ['that is empty', ''],
  ])('a release with a proof id %s', async (_name, proofId) => {
    expect(await writeWithValid(releaseOf(newId('ws'), proofId))).toEqual(REFUSED_OUTCOMES);
  });

  it.each([
    ['no lifetime', { expiresInMs: 0 }],
    ['a lifetime of more than a day', { expiresInMs: 24 * 60 * LONG_MS + 1 }],
    ['a negative amount', { amount: -1n }],
  ])('a reserve with %s', async (_name, values) => {
    const write = reserveOf(newId('ws'), makeDraft());
    const value = { ...write.action.value, ...values };
    expect(await writeWithValid({ ...write, action: { case: 'reserve', value } })).toEqual(
      REFUSED_OUTCOMES,
    );
  });

  it('an append without a draft', async () => {
    expect(
      await writeWithValid({ workspaceId: newId('ws'), action: { case: 'append', value: {} } }),
    ).toEqual(REFUSED_OUTCOMES);
  });
});
