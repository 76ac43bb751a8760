import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { appendOf, certifyOne, LONG_MS, makeDraft, releaseOf, reserveOf } from './drafts.ts';
import { optionsFor, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { exportChain, verifiedIds, verifyExport } from './read-chain.ts';

describe('the ledger', () => {
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

  it('reserves, appends and returns the certificate to its workspace', async () => {
    const workspaceId = newId('ws');
    const draft = makeDraft();
    const appended = await certifyOne(ledger.writer, workspaceId, draft);
    const { certificate } = await ledger.certificates.getCertificate(
      { proofId: draft.proofId },
      optionsFor(workspaceId),
    );
    expect(certificate).toEqual(appended);
    expect(JSON.parse(appended.payload)).toMatchObject({ id: draft.proofId, chainIndex: 0 });
    const chain = await exportChain(ledger.certificates, workspaceId);
    expect(verifyExport(chain)).toMatchObject({ workspaceId, count: 1 });
  });

  it('returns the same certificate to every repetition of an append', async () => {
    const workspaceId = newId('ws');
    const draft = makeDraft();
    const first = await certifyOne(ledger.writer, workspaceId, draft);
    const repeatedWrite = await Promise.all(
      Array.from({ length: 20 }, () => ledger.writer.write(appendOf(workspaceId, draft))),
    );
    expect(repeatedWrite).toEqual(Array.from({ length: 20 }, () => first));
    expect(await verifiedIds(ledger.certificates, workspaceId)).toEqual([draft.proofId]);
  });

  it('signs one certificate when the same append comes twice in one batch', async () => {
    const workspaceId = newId('ws');
    const draft = makeDraft();
    await ledger.writer.write(reserveOf(workspaceId, draft));
    const bothWrites = [appendOf(workspaceId, draft), appendOf(workspaceId, draft)];
    const [one, two] = await Promise.all(bothWrites.map((write) => ledger.writer.write(write)));
    expect(one).toEqual(two);
    expect(await verifiedIds(ledger.certificates, workspaceId)).toEqual([draft.proofId]);
  });

  it('returns the existing certificate when a repetition has another draft', async () => {
    const workspaceId = newId('ws');
    const draft = makeDraft();
    const first = await certifyOne(ledger.writer, workspaceId, draft);
    const changed = makeDraft(draft.proofId, { requestSha256: 'cd'.repeat(32) });
    expect(await ledger.writer.write(appendOf(workspaceId, changed))).toEqual(first);
  });

  it('refuses a repeated reserve whose request may have been sent', async () => {
    const workspaceId = newId('ws');
    const draft = makeDraft();
    await ledger.writer.write(reserveOf(workspaceId, draft));
    const repeatedWrite = ledger.writer.write(reserveOf(workspaceId, draft));
    const open = { reason: 'CONFLICT', fields: { code: 'proof_id_open' } };
    await expect(repeatedWrite).rejects.toMatchObject(open);
    await ledger.writer.write(appendOf(workspaceId, draft));
    expect(await verifiedIds(ledger.certificates, workspaceId)).toEqual([draft.proofId]);
  });

  it('refuses a reserve of a used proof id, and reports how its call ended', async () => {
    const workspaceId = newId('ws');
    const [settled, released] = [makeDraft(), makeDraft()];
    await certifyOne(ledger.writer, workspaceId, settled);
    await ledger.writer.write(reserveOf(workspaceId, released));
    await ledger.writer.write(releaseOf(workspaceId, released.proofId));
    for (const [draft, fields] of [
      [settled, { code: 'proof_id_settled', proof: settled.proofId }],
      [released, { code: 'proof_id_released' }],
    ] as const) {
      const repeatedWrite = ledger.writer.write(reserveOf(workspaceId, draft));
      const refusal: unknown = await repeatedWrite.catch((error: unknown) => error);
      expect(refusal).toMatchObject({ reason: 'CONFLICT' });
      expect((refusal as { fields: unknown }).fields).toEqual(fields);
    }
  });

  it("refuses a reserve of another workspace's proof id", async () => {
    const draft = makeDraft();
    await ledger.writer.write(reserveOf(newId('ws'), draft));
    const foreign = ledger.writer.write(reserveOf(newId('ws'), draft));
    await expect(foreign).rejects.toMatchObject({ reason: 'CONFLICT' });
  });

  it('refuses an append without a reservation and does not change the chain', async () => {
    const workspaceId = newId('ws');
    const good = makeDraft();
    await ledger.writer.write(reserveOf(workspaceId, good));
    const [, refused, certificate] = await Promise.allSettled([
      ledger.writer.write(reserveOf(workspaceId, makeDraft())),
      ledger.writer.write(appendOf(workspaceId, makeDraft())),
      ledger.writer.write(appendOf(workspaceId, good)),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { reason: 'CONFLICT' } });
    expect(certificate.status).toBe('fulfilled');
    expect(await verifiedIds(ledger.certificates, workspaceId)).toEqual([good.proofId]);
  });

  it("refuses an append to another workspace's reservation", async () => {
    const [owner, foreignWorkspaceId] = [newId('ws'), newId('ws')];
    const draft = makeDraft();
    await ledger.writer.write(reserveOf(owner, draft));
    const foreignAppend = ledger.writer.write(appendOf(foreignWorkspaceId, draft));
    await expect(foreignAppend).rejects.toMatchObject({ reason: 'CONFLICT' });
    await ledger.writer.write(appendOf(owner, draft));
    expect(await verifiedIds(ledger.certificates, owner)).toEqual([draft.proofId]);
    expect(await verifiedIds(ledger.certificates, foreignWorkspaceId)).toEqual([]);
  });

  it('releases a reservation repeatedly and refuses an append after it', async () => {
    const workspaceId = newId('ws');
    const draft = makeDraft();
    await ledger.writer.write(reserveOf(workspaceId, draft));
    await ledger.writer.write(releaseOf(workspaceId, draft.proofId));
    await ledger.writer.write(releaseOf(workspaceId, draft.proofId));
    const lateAppend = ledger.writer.write(appendOf(workspaceId, draft));
    await expect(lateAppend).rejects.toMatchObject({ reason: 'CONFLICT' });
    expect(await verifiedIds(ledger.certificates, workspaceId)).toEqual([]);
  });

  it("does not release another workspace's reservation, even in one batch with its owner", async () => {
    const [owner, stranger] = [newId('ws'), newId('ws')];
    const draft = makeDraft();
    await ledger.writer.write(reserveOf(owner, draft));
    await Promise.all([
      // While this write commits, the other two wait and then share the next commit.
      ledger.writer.write(reserveOf(owner, makeDraft())),
      ledger.writer.write(reserveOf(owner, makeDraft())),
      ledger.writer.write(releaseOf(stranger, draft.proofId)),
    ]);
    await ledger.writer.write(appendOf(owner, draft));
    expect(await verifiedIds(ledger.certificates, owner)).toEqual([draft.proofId]);
  });

  it('retains a certificate when its reservation is released afterwards', async () => {
    const workspaceId = newId('ws');
    const draft = makeDraft();
    await certifyOne(ledger.writer, workspaceId, draft);
    await ledger.writer.write(releaseOf(workspaceId, draft.proofId));
    expect(await verifiedIds(ledger.certificates, workspaceId)).toEqual([draft.proofId]);
  });

  it('sends receipts for all writes before the stream ended', async () => {
    const workspaceId = newId('ws');
    const writer = ledger.openWriter();
    const reserved = writer.write(reserveOf(workspaceId, makeDraft()));
    await writer.end();
    await expect(reserved).resolves.toBeUndefined();
  });

  it('accepts the longest lifetime of a reservation and refuses a longer one', async () => {
    const workspaceId = newId('ws');
    const dayMs = 24 * 60 * LONG_MS;
    await ledger.writer.write(reserveOf(workspaceId, makeDraft(), dayMs));
    const longerReserve = ledger.writer.write(reserveOf(workspaceId, makeDraft(), dayMs + 1));
    await expect(longerReserve).rejects.toMatchObject({ reason: 'INVALID_REQUEST' });
  });
});
