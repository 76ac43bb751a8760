import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { commitAnswer } from '@witan/proof';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { appendOf, makeDraft, reserveOf } from './drafts.ts';
import { optionsFor, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { toProof, verifiedIds } from './read-chain.ts';

const SWEEP_MS = 20;

describe('the sweeper', () => {
  let fixture: LedgerFixture;
  let ledgers: TestLedger[];
  let admin: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    const signingKeyFile = await fixture.newKeyFile();
    ledgers = [
      await openLedger(fixture, { signingKeyFile, sweepIntervalMs: SWEEP_MS }),
      await openLedger(fixture, { signingKeyFile, sweepIntervalMs: SWEEP_MS }),
    ];
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const findProof = async (workspaceId: string, proofId: string) => {
    try {
      const { certificates } = ledgers[0]!;
      return (await certificates.getCertificate({ proofId }, optionsFor(workspaceId))).certificate;
    } catch (error) {
      if (isServiceError(error) && error.reason === 'NOT_FOUND') return undefined;
      throw error;
    }
  };
  const stateOf = async (proofId: string): Promise<string> => {
    const text = 'SELECT state FROM ledger.reservation WHERE id = $1';
    const { rows } = await admin.query<{ state: string }>(text, [proofId]);
    return rows[0]!.state;
  };

  it('certifies a sent but unsettled call as lost, and returns that to its caller', async () => {
    const workspaceId = newId('ws');
    const draft = makeDraft();
    const { writer } = ledgers[0]!;
    await writer.write(reserveOf(workspaceId, draft, 1));
    const lostCertificate = await eventually(() => findProof(workspaceId, draft.proofId));
    expect(toProof(lostCertificate).payload).toMatchObject({
      id: draft.proofId,
      response: { finishReason: 'lost', sha256: commitAnswer([]) },
      egress: { sha256: draft.egress.sha256 },
    });
    expect(await writer.write(appendOf(workspaceId, draft))).toEqual(lostCertificate);
    expect(await verifiedIds(ledgers[1]!.certificates, workspaceId)).toEqual([draft.proofId]);
    expect(await stateOf(draft.proofId)).toBe('settled');
  });

  it('releases a reservation that was never sent', async () => {
    const workspaceId = newId('ws');
    const { proofId } = makeDraft();
    const value = { proofId, amount: 0n, expiresInMs: 1 };
    await ledgers[0]!.writer.write({ workspaceId, action: { case: 'reserve', value } });
    await eventually(async () => ((await stateOf(proofId)) === 'released' ? true : undefined));
    expect(await verifiedIds(ledgers[0]!.certificates, workspaceId)).toEqual([]);
  });

  it('does not change a reservation that has not expired', async () => {
    const workspaceId = newId('ws');
    const [earlyDraft, lateDraft] = [makeDraft(), makeDraft()];
    await ledgers[0]!.writer.write(reserveOf(workspaceId, lateDraft));
    await ledgers[0]!.writer.write(reserveOf(workspaceId, earlyDraft, 1));
    await eventually(() => findProof(workspaceId, earlyDraft.proofId));
    expect(await stateOf(lateDraft.proofId)).toBe('held');
  });

  it('ends each of many reservations once, even if callers finish at the same moment', async () => {
    const workspaceId = newId('ws');
    const drafts = Array.from({ length: 300 }, () => makeDraft());
    await Promise.all(
      drafts.map((draft) => ledgers[0]!.writer.write(reserveOf(workspaceId, draft, 30))),
    );
    const finished = await Promise.all(
      drafts.map(async (draft, index) => {
        await eventually(async () => (Date.now() % 7 === index % 7 ? true : undefined));
        return await ledgers[index % 2]!.writer.write(appendOf(workspaceId, draft));
      }),
    );
    const ids = await verifiedIds(ledgers[0]!.certificates, workspaceId);
    expect(ids.toSorted()).toEqual(drafts.map(({ proofId }) => proofId).toSorted());
    for (const [index, draft] of drafts.entries()) {
      const certificate = await findProof(workspaceId, draft.proofId);
      expect(finished[index]).toEqual(certificate);
    }
  });
});
