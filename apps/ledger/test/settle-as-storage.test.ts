import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import type { LedgerStorage, CommitProblems, SignedGroup } from '../src/write/ledger-write.ts';
import { signCertificates } from '../src/chain/sign-certificates.ts';
import type { ChainHead } from '../src/chain/sign-certificates.ts';
import { createSigner } from '../src/signing-key/signer.ts';
import { ISSUER, NO_PROBLEMS, NOW, STORAGES, release, reserve } from './storage-implementations.ts';
import type { OpenedStorage } from './storage-implementations.ts';
import { makeDraft } from './drafts.ts';

const OPENING_CREDIT = 1_000;

type ReservationsOfCertificates = Readonly<Record<string, string>>;

describe.each(STORAGES)('a reservation settled under another id in %s', (_name, open) => {
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  let openedStorage: OpenedStorage;
  let storage: LedgerStorage;
  let [workspaceId, ownId, otherId, answerId] = ['', '', '', ''] as [
    string,
    string,
    string,
    string,
  ];
  beforeAll(async () => {
    openedStorage = await open(signer, OPENING_CREDIT);
    ({ storage } = openedStorage);
  });
  afterAll(() => openedStorage.close());
  beforeEach(() => {
    workspaceId = newId('ws');
    [ownId, otherId, answerId] = [newId('pf'), newId('pf'), newId('pf')];
  });

  const headOf = async (ws = workspaceId): Promise<ChainHead> =>
    (await storage.loadHeads([ws])).get(ws)!;
  const sign = async (
    certificateIds: ReservationsOfCertificates,
    { ws = workspaceId, head }: { ws?: string; head?: ChainHead } = {},
  ): Promise<SignedGroup> => {
    const before = head ?? (await headOf(ws));
    const context = { workspaceId: ws, issuer: ISSUER, head: before, now: NOW };
    const drafts = Object.values(certificateIds).map((id) => makeDraft(id));
    const { certificates, head: after } = await signCertificates(drafts, context, signer);
    const renamed = Object.entries(certificateIds).filter(([from, to]) => from !== to);
    const settles = new Map(renamed.map(([from, to]) => [to, from]));
    return { workspaceId: ws, before, after, certificates, settles };
  };
  const commit = (writes: Parameters<LedgerStorage['commit']>[0], groups: SignedGroup[] = []) =>
    storage.commit(writes, groups, signer.keyId);
  const hold = (id: string, ws = workspaceId) => reserve(ws, id, { amount: 300n, minimum: 1n });
  const readFreeBalance = async (ws = workspaceId): Promise<bigint> => {
    const proofId = newId('pf');
    const { held } = await commit([reserve(ws, proofId, { amount: 1_000_000n })]);
    await commit([release(ws, proofId)]);
    return held.get(proofId) ?? 0n;
  };
  const certificateIdOf = async (id: string, ws = workspaceId) =>
    (await storage.findCertificate(ws, id))?.id;
  const unreserved = (...ids: string[]): CommitProblems => ({
    ...NO_PROBLEMS,
    unreserved: new Set(ids),
  });
  const findTakenIds = async (id: string, ws = workspaceId) => (await commit([hold(id, ws)])).taken;

  it('is charged, released, and found by both ids', async () => {
    await commit([hold(ownId), hold(otherId)]);
    const group = await sign({ [ownId]: answerId, [otherId]: otherId });
    expect(await commit([], [group])).toEqual(NO_PROBLEMS);
    expect(await headOf()).toEqual(group.after);
    expect(await readFreeBalance()).toBe(992n);
    expect(await certificateIdOf(ownId)).toBe(answerId);
    expect(await certificateIdOf(answerId)).toBe(answerId);
    expect(await certificateIdOf(ownId, newId('ws'))).toBeUndefined();
    expect(await findTakenIds(answerId)).toEqual(new Map([[answerId, 'settled']]));
    expect(await findTakenIds(ownId)).toEqual(new Map([[ownId, 'released']]));
  });

  it('is settled only once', async () => {
    await commit([hold(ownId)]);
    await commit([], [await sign({ [ownId]: answerId })]);
    for (const id of [answerId, otherId, ownId]) {
      expect(await commit([], [await sign({ [ownId]: id })])).toEqual(unreserved(id));
    }
    await commit([release(workspaceId, ownId), release(workspaceId, answerId)]);
    expect(await readFreeBalance()).toBe(996n);
    expect((await headOf()).chainIndex).toBe(0);
  });

  it('stays held, and the id unused, if the head moved', async () => {
    await commit([hold(ownId), hold(otherId)]);
    const head = await headOf();
    await commit([], [await sign({ [otherId]: otherId })]);
    const problems = await commit([], [await sign({ [ownId]: answerId }, { head })]);
    expect(problems).toEqual({ ...NO_PROBLEMS, moved: new Set([workspaceId]) });
    expect(await certificateIdOf(ownId)).toBeUndefined();
    expect(await readFreeBalance()).toBe(696n);
    expect(await commit([], [await sign({ [ownId]: answerId })])).toEqual(NO_PROBLEMS);
    expect(await readFreeBalance()).toBe(992n);
  });

  it('stays held, and the id unused, if another append of its group is not reserved', async () => {
    await commit([hold(ownId)]);
    const group = await sign({ [ownId]: answerId, [otherId]: otherId });
    expect(await commit([], [group])).toEqual(unreserved(otherId));
    expect((await headOf()).chainIndex).toBe(-1);
    expect(await findTakenIds(answerId)).toEqual(new Map());
    expect(await readFreeBalance()).toBe(400n);
  });

  it.each([
    ['held', []],
    ['released', [release]],
  ])('stays held if the id belongs to a reservation that is %s', async (_state, ends) => {
    const stranger = newId('ws');
    for (const ws of [workspaceId, stranger]) {
      const [id, takenId] = [newId('pf'), newId('pf')];
      await commit([hold(id), hold(takenId, ws)]);
      await commit(ends.map((end) => end(ws, takenId)));
      const [rejectedGroup, otherWorkspaceId] = [await sign({ [id]: takenId }), newId('ws')];
      const otherReservationId = newId('pf');
      await commit([hold(otherReservationId, otherWorkspaceId)]);
      const groups = [
        rejectedGroup,
        await sign({ [otherReservationId]: `${otherReservationId}as` }, { ws: otherWorkspaceId }),
      ];
      expect(await commit([], groups)).toEqual(unreserved(takenId));
      expect((await headOf()).chainIndex).toBe(-1);
      expect(await certificateIdOf(otherReservationId, otherWorkspaceId)).toBe(
        `${otherReservationId}as`,
      );
      expect(await findTakenIds(id)).toEqual(new Map());
      await commit([release(workspaceId, id), release(ws, takenId)]);
    }
    expect(await readFreeBalance()).toBe(1_000n);
  });

  it('cannot belong to another workspace', async () => {
    const foreignWorkspaceId = newId('ws');
    await commit([hold(ownId)]);
    const group = await sign({ [ownId]: answerId }, { ws: foreignWorkspaceId });
    // The commit also contains a write of the owner, so row security does not hide the reservation.
    expect(await commit([hold(otherId)], [group])).toEqual(unreserved(answerId));
    expect(await certificateIdOf(ownId)).toBeUndefined();
    expect(await readFreeBalance()).toBe(400n);
    expect(await findTakenIds(answerId, newId('ws'))).toEqual(new Map());
  });

  it('shares a commit with releases, and with reserves that open accounts', async () => {
    const newWorkspaceId = newId('ws');
    await commit([hold(ownId), hold(otherId)]);
    const newReservationId = newId('pf');
    const writes = [
      release(workspaceId, otherId),
      hold(newReservationId),
      hold(newId('pf'), newWorkspaceId),
    ];
    expect(await commit(writes, [await sign({ [ownId]: answerId })])).toEqual(NO_PROBLEMS);
    expect(await readFreeBalance()).toBe(696n);
    expect(await readFreeBalance(newWorkspaceId)).toBe(700n);
  });
});
