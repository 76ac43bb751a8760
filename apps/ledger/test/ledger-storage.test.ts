import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { genesisHash } from '@witan/proof';
import { newId } from '@witan/service-kit';
import type { LedgerStorage, SignedGroup } from '../src/write/ledger-write.ts';
import { signCertificates } from '../src/chain/sign-certificates.ts';
import type { ChainHead } from '../src/chain/sign-certificates.ts';
import { KeyRetiredError } from '../src/signing-key/keyring.ts';
import { createSigner } from '../src/signing-key/signer.ts';
import { ISSUER, NO_PROBLEMS, NOW, STORAGES, release, reserve } from './storage-implementations.ts';
import type { OpenedStorage } from './storage-implementations.ts';
import { makeDraft } from './drafts.ts';

const toHeldAgain = (proofId: string) => ({ ...NO_PROBLEMS, held: new Map([[proofId, 0n]]) });

describe.each(STORAGES)('ledgers in %s', (_name, open) => {
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  let openedStorage: OpenedStorage;
  let storage: LedgerStorage;
  beforeAll(async () => {
    openedStorage = await open(signer);
    ({ storage } = openedStorage);
  });
  afterAll(() => openedStorage.close());

  const headOf = async (workspaceId: string): Promise<ChainHead> =>
    (await storage.loadHeads([workspaceId])).get(workspaceId)!;
  const sign = async (
    workspaceId: string,
    before: ChainHead,
    ids: readonly string[],
  ): Promise<SignedGroup> => {
    const context = { workspaceId, issuer: ISSUER, head: before, now: NOW };
    const drafts = ids.map((id) => makeDraft(id));
    const { certificates, head: after } = await signCertificates(drafts, context, signer);
    return { workspaceId, before, after, certificates };
  };
  const commit = (writes: Parameters<LedgerStorage['commit']>[0], groups: SignedGroup[]) =>
    storage.commit(writes, groups, signer.keyId);

  it('start a chain at its genesis hash', async () => {
    const [one, two] = [newId('ws'), newId('ws')];
    const heads = await storage.loadHeads([one, two]);
    expect(heads.get(one)).toEqual({
      chainIndex: -1,
      hash: genesisHash(ISSUER, one),
      issuedAt: 0,
    });
    expect(heads.get(two)!.hash).toBe(genesisHash(ISSUER, two));
  });

  it('start many chains concurrently in any order', async () => {
    for (let round = 0; round < 10; round += 1) {
      const ids = Array.from({ length: 400 }, () => newId('ws'));
      const headReads = [ids, ids.toReversed(), ids.toSorted()].map((order) =>
        storage.loadHeads(order),
      );
      for (const heads of await Promise.all(headReads)) expect(heads.size).toBe(ids.length);
    }
  });

  it('append certificates with a reservation, and move the head', async () => {
    const [workspaceId, first, second] = [newId('ws'), newId('pf'), newId('pf')];
    const group = await sign(workspaceId, await headOf(workspaceId), [first, second]);
    await commit([reserve(workspaceId, first), reserve(workspaceId, second)], []);
    expect(await commit([], [group])).toEqual(NO_PROBLEMS);
    expect(await headOf(workspaceId)).toEqual(group.after);
    expect(await storage.findCertificate(workspaceId, second)).toMatchObject({
      chainIndex: 1,
      payload: group.certificates[1]!.payload,
    });
    expect(await storage.findCertificate(newId('ws'), second)).toBeUndefined();
  });

  it('append nothing if the head moved, and retain the reservation', async () => {
    const [workspaceId, first, second] = [newId('ws'), newId('pf'), newId('pf')];
    const staleHead = await headOf(workspaceId);
    const writes = [reserve(workspaceId, first), reserve(workspaceId, second)];
    await commit(writes, []);
    await commit([], [await sign(workspaceId, staleHead, [first])]);
    const lateProblems = await commit([], [await sign(workspaceId, staleHead, [second])]);
    expect(lateProblems).toEqual({ ...NO_PROBLEMS, moved: new Set([workspaceId]) });
    expect(await storage.findCertificate(workspaceId, second)).toBeUndefined();
    const problems = await commit(
      [],
      [await sign(workspaceId, await headOf(workspaceId), [second])],
    );
    expect(problems).toEqual(NO_PROBLEMS);
  });

  it('omit a whole group if one of its appends is not reserved, but no other group', async () => {
    const [rejectedWorkspaceId, otherWorkspaceId] = [newId('ws'), newId('ws')];
    const [reservedId, unreservedId, otherId] = [newId('pf'), newId('pf'), newId('pf')];
    const groups = [
      await sign(rejectedWorkspaceId, await headOf(rejectedWorkspaceId), [
        reservedId,
        unreservedId,
      ]),
      await sign(otherWorkspaceId, await headOf(otherWorkspaceId), [otherId]),
    ];
    await commit(
      [reserve(rejectedWorkspaceId, reservedId), reserve(otherWorkspaceId, otherId)],
      [],
    );
    const problems = await commit([], groups);
    expect(problems).toEqual({ ...NO_PROBLEMS, unreserved: new Set([unreservedId]) });
    expect((await headOf(rejectedWorkspaceId)).chainIndex).toBe(-1);
    expect((await headOf(otherWorkspaceId)).chainIndex).toBe(0);
  });

  it("ignore another workspace's reservation", async () => {
    const [owner, foreignWorkspaceId, proofId] = [newId('ws'), newId('ws'), newId('pf')];
    await commit([reserve(owner, proofId)], []);
    expect(await commit([reserve(foreignWorkspaceId, proofId)], [])).toEqual({
      ...NO_PROBLEMS,
      taken: new Map([[proofId, 'foreign']]),
    });
    const foreignProblems = await commit(
      [],
      [await sign(foreignWorkspaceId, await headOf(foreignWorkspaceId), [proofId])],
    );
    expect(foreignProblems).toEqual({ ...NO_PROBLEMS, unreserved: new Set([proofId]) });
    // The commit also contains a write of the owner, so row security does not hide the reservation.
    const group = await sign(foreignWorkspaceId, await headOf(foreignWorkspaceId), [proofId]);
    const mixedProblems = await commit([reserve(owner, newId('pf'))], [group]);
    expect(mixedProblems).toEqual({ ...NO_PROBLEMS, unreserved: new Set([proofId]) });
    expect((await headOf(foreignWorkspaceId)).chainIndex).toBe(-1);
  });

  it("release only the workspace's own reservations, even in one commit with their owner", async () => {
    const [owner, stranger, proofId] = [newId('ws'), newId('ws'), newId('pf')];
    await commit([reserve(owner, proofId)], []);
    await commit([reserve(owner, newId('pf')), release(stranger, proofId)], []);
    expect(await commit([reserve(owner, proofId)], [])).toEqual(toHeldAgain(proofId));
    await commit([release(owner, proofId)], []);
    const lateProblems = await commit([], [await sign(owner, await headOf(owner), [proofId])]);
    expect(lateProblems).toEqual({ ...NO_PROBLEMS, unreserved: new Set([proofId]) });
  });

  it('accept a repeated reserve until it has an intent, and refuse it from then on', async () => {
    const [workspaceId, released, settled] = [newId('ws'), newId('pf'), newId('pf')];
    const reserves = [reserve(workspaceId, released), reserve(workspaceId, settled)];
    await commit(reserves, []);
    expect((await commit(reserves, [])).taken.size).toBe(0);
    const intent = makeDraft(settled);
    expect((await commit([reserve(workspaceId, settled, { intent })], [])).taken.size).toBe(0);
    expect((await commit([reserve(workspaceId, settled, { intent })], [])).taken).toEqual(
      new Map([[settled, 'open']]),
    );
    const group = await sign(workspaceId, await headOf(workspaceId), [settled]);
    await commit([release(workspaceId, released)], [group]);
    expect(await commit(reserves, [])).toEqual({
      ...NO_PROBLEMS,
      taken: new Map([
        [released, 'released'],
        [settled, 'settled'],
      ]),
    });
  });

  it('do not release a reservation that has an intent meanwhile', async () => {
    const [workspaceId, sent, unsent] = [newId('ws'), newId('pf'), newId('pf')];
    await commit([reserve(workspaceId, sent), reserve(workspaceId, unsent)], []);
    await commit([reserve(workspaceId, sent, { intent: makeDraft(sent) })], []);
    const found = [sent, unsent].map((id) => ({ ...release(workspaceId, id), onlyUnsent: true }));
    await commit(found, []);
    expect(await commit([reserve(workspaceId, sent), reserve(workspaceId, unsent)], [])).toEqual({
      ...NO_PROBLEMS,
      taken: new Map([
        [sent, 'open'],
        [unsent, 'released'],
      ]),
    });
  });

  it('refuse appends signed with a key that is not current, and nothing else', async () => {
    const [workspaceId, proofId] = [newId('ws'), newId('pf')];
    const group = await sign(workspaceId, await headOf(workspaceId), [proofId]);
    await storage.commit([reserve(workspaceId, proofId)], [], 'ed25519:retired');
    await expect(storage.commit([], [group], 'ed25519:retired')).rejects.toThrow(KeyRetiredError);
    expect(await commit([], [group])).toEqual(NO_PROBLEMS);
  });
});

describe.each(STORAGES)('metered ledgers in %s', (_name, open) => {
  const OPENING_CREDIT = 1_000;
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  let openedStorage: OpenedStorage;
  let storage: LedgerStorage;
  beforeAll(async () => {
    openedStorage = await open(signer, OPENING_CREDIT);
    ({ storage } = openedStorage);
  });
  afterAll(() => openedStorage.close());

  const commit = (writes: Parameters<LedgerStorage['commit']>[0], groups: SignedGroup[] = []) =>
    storage.commit(writes, groups, signer.keyId);
  const hold = (workspaceId: string, proofId: string, amount: bigint, minimum = 1n) =>
    reserve(workspaceId, proofId, { amount, minimum });
  type Usage = Readonly<Record<string, number>>;
  const signUsage = async (workspaceId: string, usage: Usage): Promise<SignedGroup> => {
    const head = (await storage.loadHeads([workspaceId])).get(workspaceId)!;
    const drafts = Object.entries(usage).map(([proofId, totalTokens]) =>
      makeDraft(proofId, {
        answer: {
          ...makeDraft().answer,
          usage: { promptTokens: 0, completionTokens: totalTokens, totalTokens },
        },
      }),
    );
    const context = { workspaceId, issuer: ISSUER, head, now: NOW };
    const { certificates, head: after } = await signCertificates(drafts, context, signer);
    return { workspaceId, before: head, after, certificates };
  };
  const settle = async (workspaceId: string, usage: Usage): Promise<void> => {
    expect(await commit([], [await signUsage(workspaceId, usage)])).toEqual(NO_PROBLEMS);
  };
  const readFreeBalance = async (workspaceId: string): Promise<bigint> => {
    const proofId = newId('pf');
    const { held } = await commit([hold(workspaceId, proofId, 1_000_000n, 0n)]);
    await commit([release(workspaceId, proofId)]);
    return held.get(proofId) ?? 0n;
  };

  it('hold the requested amount until it is released', async () => {
    const [workspaceId, proofId] = [newId('ws'), newId('pf')];
    expect(await commit([hold(workspaceId, proofId, 400n)])).toEqual(NO_PROBLEMS);
    expect(await readFreeBalance(workspaceId)).toBe(600n);
    await commit([release(workspaceId, proofId), release(workspaceId, proofId)]);
    await commit([release(workspaceId, proofId)]);
    expect(await readFreeBalance(workspaceId)).toBe(1_000n);
  });

  it("charge nothing for a certificate of another workspace's reservation", async () => {
    const [owner, stranger, ownId, foreignId] = [
      newId('ws'),
      newId('ws'),
      newId('pf'),
      newId('pf'),
    ];
    await commit([hold(owner, ownId, 400n), hold(owner, foreignId, 300n)]);
    const groups = [
      await signUsage(owner, { [ownId]: 100 }),
      await signUsage(stranger, { [foreignId]: 50 }),
    ];
    const problems = await commit([], groups);
    expect(problems).toEqual({ ...NO_PROBLEMS, unreserved: new Set([foreignId]) });
    expect(await readFreeBalance(owner)).toBe(600n);
  });

  it('hold the remaining balance if that is less, but not less than the minimum', async () => {
    const workspaceId = newId('ws');
    const [first, second, third] = [newId('pf'), newId('pf'), newId('pf')];
    const problems = await commit([
      hold(workspaceId, first, 700n),
      hold(workspaceId, second, 700n, 300n),
      hold(workspaceId, third, 700n, 1n),
    ]);
    expect(problems).toEqual({
      ...NO_PROBLEMS,
      held: new Map([[second, 300n]]),
      busy: new Set([third]),
    });
  });

  it('distinguish a balance that is too small from one that is held', async () => {
    const workspaceId = newId('ws');
    const [first, second, third] = [newId('pf'), newId('pf'), newId('pf')];
    await commit([hold(workspaceId, first, 900n)]);
    const problems = await commit([
      hold(workspaceId, second, 2_000n, 1_001n),
      hold(workspaceId, third, 2_000n, 1_000n),
    ]);
    expect(problems).toEqual({
      ...NO_PROBLEMS,
      short: new Set([second]),
      busy: new Set([third]),
    });
  });

  it('hold at least one token, whatever is requested, so that no call is free', async () => {
    const [workspaceId, rest, proofId] = [newId('ws'), newId('pf'), newId('pf')];
    const first = await commit([hold(workspaceId, proofId, 0n, 0n)]);
    expect(first).toEqual({ ...NO_PROBLEMS, held: new Map([[proofId, 1n]]) });
    await settle(workspaceId, { [proofId]: 100 });
    expect(await readFreeBalance(workspaceId)).toBe(900n);
    await commit([hold(workspaceId, rest, 900n)]);
    const lateId = newId('pf');
    const busyProblems = await commit([hold(workspaceId, lateId, 0n, 0n)]);
    expect(busyProblems).toEqual({ ...NO_PROBLEMS, busy: new Set([lateId]) });
    await settle(workspaceId, { [rest]: 900 });
    const short = await commit([hold(workspaceId, lateId, 0n, 0n)]);
    expect(short).toEqual({ ...NO_PROBLEMS, short: new Set([lateId]) });
  });

  it('charge the usage and free the rest', async () => {
    const [workspaceId, first, second] = [newId('ws'), newId('pf'), newId('pf')];
    await commit([hold(workspaceId, first, 400n), hold(workspaceId, second, 400n)]);
    await settle(workspaceId, { [first]: 150, [second]: 0 });
    expect(await readFreeBalance(workspaceId)).toBe(850n);
  });

  it('charge an overrun up to the free balance', async () => {
    const workspaceId = newId('ws');
    const [first, second, other] = [newId('pf'), newId('pf'), newId('pf')];
    await commit([
      hold(workspaceId, first, 100n),
      hold(workspaceId, second, 100n),
      hold(workspaceId, other, 500n),
    ]);
    // 300 tokens are free and 500 are held for another call, so 300 of the two overruns of 250
    // tokens each are paid.
    await settle(workspaceId, { [first]: 350, [second]: 350 });
    expect(await readFreeBalance(workspaceId)).toBe(0n);
    await settle(workspaceId, { [other]: 200 });
    expect(await readFreeBalance(workspaceId)).toBe(300n);
  });

  it('let reserves hold tokens that the same commit frees', async () => {
    const [workspaceId, first, second] = [newId('ws'), newId('pf'), newId('pf')];
    await commit([hold(workspaceId, first, 1_000n)]);
    const writes = [hold(workspaceId, second, 1_000n, 1_000n), release(workspaceId, first)];
    expect(await commit(writes)).toEqual(NO_PROBLEMS);
  });

  it('hold tokens once for a repeated proof id, and report the amount', async () => {
    const [workspaceId, proofId] = [newId('ws'), newId('pf')];
    await commit([hold(workspaceId, proofId, 600n)]);
    const same = await commit([hold(workspaceId, proofId, 600n)]);
    expect(same).toEqual({ ...NO_PROBLEMS, held: new Map([[proofId, 600n]]) });
    const other = await commit([hold(workspaceId, proofId, 5_000n, 5_000n)]);
    expect(other).toEqual({ ...NO_PROBLEMS, held: new Map([[proofId, 600n]]) });
    expect(await readFreeBalance(workspaceId)).toBe(400n);
    await commit([release(workspaceId, proofId)]);
    const problems = await commit([hold(workspaceId, proofId, 600n)]);
    expect(problems).toEqual({ ...NO_PROBLEMS, taken: new Map([[proofId, 'released']]) });
    expect(await readFreeBalance(workspaceId)).toBe(1_000n);
  });

  it('separate the accounts of workspaces that share a commit', async () => {
    const workspaces = [newId('ws'), newId('ws'), newId('ws')];
    const ids = Array.from({ length: 9 }, () => newId('pf'));
    const writes = ids.map((id, index) => hold(workspaces[index % 3]!, id, 400n, 300n));
    const problems = await commit(writes);
    expect(problems.busy).toEqual(new Set(ids.slice(6)));
    for (const workspaceId of workspaces) expect(await readFreeBalance(workspaceId)).toBe(200n);
  });
});
