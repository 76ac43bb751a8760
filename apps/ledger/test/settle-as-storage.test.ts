import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import type {
  LedgerStorage,
  CommitProblems,
  SignedGroup,
} from '../src/domain/commit/ledger-write.ts';
import { signCertificates } from '../src/domain/certificate/sign-certificates.ts';
import type { ChainHead } from '../src/domain/certificate/sign-certificates.ts';
import { createSigner } from '../src/domain/signing-key/signer.ts';
import { ISSUER, NO_PROBLEMS, NOW, STORAGES, release, reserve } from './storage-implementations.ts';
import type { OpenedStorage } from './storage-implementations.ts';
import { makeDraft } from './drafts.ts';

const OPENING_CREDIT = 1_000;

type Appends = Readonly<Record<string, string>>;

describe.each(STORAGES)('a reservation settled under another id in %s', (_name, open) => {
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  let opened: OpenedStorage;
  let storage: LedgerStorage;
  let [workspaceId, own, other, answer] = ['', '', '', ''] as [string, string, string, string];
  beforeAll(async () => {
    opened = await open(signer, OPENING_CREDIT);
    ({ storage } = opened);
  });
  afterAll(() => opened.close());
  beforeEach(() => {
    workspaceId = newId('ws');
    [own, other, answer] = [newId('pf'), newId('pf'), newId('pf')];
  });

  const headOf = async (ws = workspaceId): Promise<ChainHead> =>
    (await storage.loadHeads([ws])).get(ws)!;
  const sign = async (
    appends: Appends,
    { ws = workspaceId, head }: { ws?: string; head?: ChainHead } = {},
  ): Promise<SignedGroup> => {
    const before = head ?? (await headOf(ws));
    const context = { workspaceId: ws, issuer: ISSUER, head: before, now: NOW };
    const drafts = Object.values(appends).map((id) => makeDraft(id));
    const { certificates, head: after } = await signCertificates(drafts, context, signer);
    const renamed = Object.entries(appends).filter(([from, to]) => from !== to);
    const settles = new Map(renamed.map(([from, to]) => [to, from]));
    return { workspaceId: ws, before, after, certificates, settles };
  };
  const commit = (writes: Parameters<LedgerStorage['commit']>[0], groups: SignedGroup[] = []) =>
    storage.commit(writes, groups, signer.keyId);
  const hold = (id: string, ws = workspaceId) => reserve(ws, id, { amount: 300n, minimum: 1n });
  const freeOf = async (ws = workspaceId): Promise<bigint> => {
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
  const takenBy = async (id: string, ws = workspaceId) => (await commit([hold(id, ws)])).taken;

  it('is charged, released, and found by both ids', async () => {
    await commit([hold(own), hold(other)]);
    const group = await sign({ [own]: answer, [other]: other });
    expect(await commit([], [group])).toEqual(NO_PROBLEMS);
    expect(await headOf()).toEqual(group.after);
    expect(await freeOf()).toBe(992n);
    expect(await certificateIdOf(own)).toBe(answer);
    expect(await certificateIdOf(answer)).toBe(answer);
    expect(await certificateIdOf(own, newId('ws'))).toBeUndefined();
    expect(await takenBy(answer)).toEqual(new Map([[answer, 'settled']]));
    expect(await takenBy(own)).toEqual(new Map([[own, 'released']]));
  });

  it('is settled only once', async () => {
    await commit([hold(own)]);
    await commit([], [await sign({ [own]: answer })]);
    for (const id of [answer, other, own]) {
      expect(await commit([], [await sign({ [own]: id })])).toEqual(unreserved(id));
    }
    await commit([release(workspaceId, own), release(workspaceId, answer)]);
    expect(await freeOf()).toBe(996n);
    expect((await headOf()).chainIndex).toBe(0);
  });

  it('stays held, and the id unused, if the head moved', async () => {
    await commit([hold(own), hold(other)]);
    const head = await headOf();
    await commit([], [await sign({ [other]: other })]);
    const late = await commit([], [await sign({ [own]: answer }, { head })]);
    expect(late).toEqual({ ...NO_PROBLEMS, moved: new Set([workspaceId]) });
    expect(await certificateIdOf(own)).toBeUndefined();
    expect(await freeOf()).toBe(696n);
    expect(await commit([], [await sign({ [own]: answer })])).toEqual(NO_PROBLEMS);
    expect(await freeOf()).toBe(992n);
  });

  it('stays held, and the id unused, if another append of its group is not reserved', async () => {
    await commit([hold(own)]);
    const group = await sign({ [own]: answer, [other]: other });
    expect(await commit([], [group])).toEqual(unreserved(other));
    expect((await headOf()).chainIndex).toBe(-1);
    expect(await takenBy(answer)).toEqual(new Map());
    expect(await freeOf()).toBe(400n);
  });

  it.each([
    ['held', []],
    ['released', [release]],
  ])('stays held if the id belongs to a reservation that is %s', async (_state, ends) => {
    const stranger = newId('ws');
    for (const ws of [workspaceId, stranger]) {
      const [id, taken] = [newId('pf'), newId('pf')];
      await commit([hold(id), hold(taken, ws)]);
      await commit(ends.map((end) => end(ws, taken)));
      const [bad, good] = [await sign({ [id]: taken }), newId('ws')];
      const beside = newId('pf');
      await commit([hold(beside, good)]);
      const groups = [bad, await sign({ [beside]: `${beside}as` }, { ws: good })];
      expect(await commit([], groups)).toEqual(unreserved(taken));
      expect((await headOf()).chainIndex).toBe(-1);
      expect(await certificateIdOf(beside, good)).toBe(`${beside}as`);
      expect(await takenBy(id)).toEqual(new Map());
      await commit([release(workspaceId, id), release(ws, taken)]);
    }
    expect(await freeOf()).toBe(1_000n);
  });

  it('cannot belong to another workspace', async () => {
    const foreignWorkspaceId = newId('ws');
    await commit([hold(own)]);
    const group = await sign({ [own]: answer }, { ws: foreignWorkspaceId });
    // The commit also contains a write of the owner, so row security does not hide the reservation.
    expect(await commit([hold(other)], [group])).toEqual(unreserved(answer));
    expect(await certificateIdOf(own)).toBeUndefined();
    expect(await freeOf()).toBe(400n);
    expect(await takenBy(answer, newId('ws'))).toEqual(new Map());
  });

  it('shares a commit with releases, and with reserves that open accounts', async () => {
    const newcomer = newId('ws');
    await commit([hold(own), hold(other)]);
    const fresh = newId('pf');
    const writes = [release(workspaceId, other), hold(fresh), hold(newId('pf'), newcomer)];
    expect(await commit(writes, [await sign({ [own]: answer })])).toEqual(NO_PROBLEMS);
    expect(await freeOf()).toBe(696n);
    expect(await freeOf(newcomer)).toBe(700n);
  });
});
