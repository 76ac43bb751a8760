import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeDraft } from '../../test/drafts.ts';
import { createFakeLedgerStorage } from '../../test/fake-ledger-storage.ts';
import type { FakeLedgerStorage } from '../../test/fake-ledger-storage.ts';
import type { CurrentKey, Keyring } from '../signing-key/keyring.ts';
import { createSigner } from '../signing-key/signer.ts';
import type { Signer } from '../signing-key/signer.ts';
import { createLedgerWriter } from './ledger-writer.ts';
import type { LedgerWriter } from './ledger-writer.ts';

const ISSUER = 'witan-test';
const NOON = Date.parse('2026-06-01T12:00:00.000Z');
const WORKSPACE = 'ws_a';

type WriterKeys = Pick<Keyring, 'currentKey' | 'renew'>;

const newSigner = (): Signer => createSigner(generateKeyPairSync('ed25519').privateKey);
const signer = newSigner();

const keys: WriterKeys = {
  currentKey: () => ({ signer, notBefore: new Date(0) }),
  renew: async () => undefined,
};

const createClock = () => {
  const clock = { now: NOON, read: () => clock.now };
  return clock;
};

const open = (storage: FakeLedgerStorage, clock: () => number = () => NOON): LedgerWriter =>
  createLedgerWriter({ storage, keys, issuer: ISSUER, clock });

const reserve = (writer: LedgerWriter, proofId: string, workspaceId = WORKSPACE) =>
  writer.write({
    kind: 'reserve',
    workspaceId,
    proofId,
    amount: 0n,
    minimum: 0n,
    intent: undefined,
    expiresInMs: 60_000,
  });
const append = async (
  writer: LedgerWriter,
  proofId: string,
  workspaceId = WORKSPACE,
  reservationId = proofId,
) => {
  const draft = makeDraft(proofId);
  const outcome = await writer.write({
    kind: 'append',
    workspaceId,
    proofId,
    reservationId,
    draft,
  });
  if (outcome.kind !== 'appended') throw new Error(`an append was ${outcome.kind}`);
  return outcome.certificate;
};
const certify = async (writer: LedgerWriter, proofId: string, workspaceId = WORKSPACE) => {
  await reserve(writer, proofId, workspaceId);
  return await append(writer, proofId, workspaceId);
};
const idsFor = (count: number): string[] =>
  Array.from({ length: count }, () => makeDraft().proofId);

describe('the ledger writer', () => {
  let storage: FakeLedgerStorage;
  beforeEach(() => {
    storage = createFakeLedgerStorage({ keyId: signer.keyId, issuer: ISSUER });
  });

  /** Blocks commits: `reached` resolves when one starts, and `release` lets it proceed. */
  const pauseCommits = () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    storage.beforeCommit = async () => {
      reached.resolve();
      await gate.promise;
    };
    return { reached: reached.promise, release: gate.resolve };
  };

  it('never decreases issuedAt, whatever the clock does', async () => {
    const clock = createClock();
    const writer = open(storage, clock.read);
    const steps = [0, 5, -60_000, -59_999, 3, 4, -1, 100];
    const issued: string[] = [];
    for (const [index, step] of steps.entries()) {
      clock.now = NOON + step;
      const { payload } = await certify(writer, `pf_0000000000000000000${index}`);
      issued.push((JSON.parse(payload) as { issuedAt: string }).issuedAt);
    }
    const expected = [0, 5, 5, 5, 5, 5, 5, 100];
    expect(issued).toEqual(expected.map((step) => new Date(NOON + step).toISOString()));
  });

  it('never decreases issuedAt after a restart with an earlier clock', async () => {
    const [first, second] = idsFor(2);
    await certify(
      open(storage, () => NOON),
      first!,
    );
    const { payload } = await certify(
      open(storage, () => NOON - 3_600_000),
      second!,
    );
    expect(payload).toContain(`"issuedAt":"${new Date(NOON).toISOString()}"`);
  });

  it('commits together the writes that arrive while a commit runs', async () => {
    const writer = open(storage);
    const pausedCommits = pauseCommits();
    const writes = idsFor(100).map((proofId) => reserve(writer, proofId));
    await pausedCommits.reached;
    pausedCommits.release();
    await Promise.all(writes);
    expect(storage.commits).toEqual([1, 99]);
  });

  it('puts at most 100 writes into one commit', async () => {
    const writer = open(storage);
    const pausedCommits = pauseCommits();
    const writes = idsFor(600).map((proofId) => reserve(writer, proofId));
    await pausedCommits.reached;
    pausedCommits.release();
    await Promise.all(writes);
    expect(storage.commits).toEqual([1, 100, 100, 100, 100, 100, 99]);
  });

  it('signs a commit of many workspaces as links of each chain', async () => {
    const writer = open(storage);
    const workspaces = ['ws_a', 'ws_b', 'ws_c'];
    const ids = idsFor(30);
    const all = ids.map((id, index) => certify(writer, id, workspaces[index % 3]));
    const indices = (await Promise.all(all)).map(({ chainIndex }) => chainIndex);
    expect(indices.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, index) => Math.floor(index / 3)),
    );
  });

  it('signs again when another replica moved the head', async () => {
    const [mine, other] = [open(storage), open(storage)];
    const [first, second, third] = idsFor(3);
    await certify(mine, first!);
    await certify(other, second!);
    const certificate = await certify(mine, third!);
    expect(certificate.chainIndex).toBe(2);
    expect(storage.certificates.map(({ id }) => id)).toEqual([first, second, third]);
  });

  it('rejects with LEDGER_UNAVAILABLE when other replicas are always faster', async () => {
    const writer = open(storage);
    const otherReplica = open(storage);
    const [mine] = idsFor(1);
    await reserve(writer, mine!);
    let movesHead = false;
    storage.beforeCommit = async () => {
      if (movesHead) return;
      movesHead = true;
      await certify(otherReplica, makeDraft().proofId);
      movesHead = false;
    };
    await expect(append(writer, mine!)).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
    storage.beforeCommit = async () => {};
    expect(await append(writer, mine!)).toMatchObject({ id: mine });
  });

  it('fails every write of a commit with unknown outcome, and accepts each retry', async () => {
    const writer = open(storage);
    const [lostBefore, lostAfter] = idsFor(2);
    for (const proofId of [lostBefore!, lostAfter!]) await reserve(writer, proofId);
    storage.beforeCommit = async () => {
      throw new Error('connection lost');
    };
    const before = append(writer, lostBefore!);
    await expect(before).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
    storage.beforeCommit = async () => {};
    storage.afterCommit = async () => {
      throw new Error('connection lost');
    };
    const after = append(writer, lostAfter!);
    await expect(after).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
    storage.afterCommit = async () => {};
    expect(await append(writer, lostBefore!)).toMatchObject({ chainIndex: 1 });
    expect(await append(writer, lostAfter!)).toMatchObject({ chainIndex: 0 });
    expect(storage.certificates).toHaveLength(2);
  });

  it('signs the other appends of a commit with a refused one, in order and without a gap', async () => {
    const writer = open(storage);
    const ids = idsFor(9);
    const unreserved = new Set([ids[2], ids[7]]);
    for (const proofId of ids) if (!unreserved.has(proofId)) await reserve(writer, proofId);
    const pausedCommits = pauseCommits();
    const outcomes = Promise.allSettled(ids.map((proofId) => append(writer, proofId)));
    await pausedCommits.reached;
    pausedCommits.release();
    const refused = (await outcomes).flatMap((outcome, index) =>
      outcome.status === 'rejected' ? [[ids[index], outcome.reason.reason]] : [],
    );
    expect(refused).toEqual([...unreserved].map((proofId) => [proofId, 'CONFLICT']));
    expect(storage.certificates.map(({ chainIndex }) => chainIndex)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('never puts two writes of one reservation into one commit, whatever their ids', async () => {
    const writer = open(storage);
    const [first, own, one, two] = idsFor(4) as [string, string, string, string];
    await reserve(writer, own);
    const pausedCommits = pauseCommits();
    const running = reserve(writer, first);
    await pausedCommits.reached;
    const outcomes = [
      append(writer, one, WORKSPACE, own),
      append(writer, two, WORKSPACE, own),
      append(writer, own),
      reserve(writer, one).catch(({ fields }: { fields: unknown }) => fields),
    ];
    pausedCommits.release();
    await running;
    const settlement = { id: one, chainIndex: 0 };
    expect(await Promise.all(outcomes)).toMatchObject([
      settlement,
      settlement,
      settlement,
      { code: 'proof_id_settled', proof: one },
    ]);
    expect(storage.certificates.map(({ id }) => id)).toEqual([one]);
    expect(storage.commits.slice(1)).toEqual([1, 1, 2, 1]);
  });

  it('reports the writes of every commit', async () => {
    const sizes: number[] = [];
    const onCommit = (writes: readonly object[]): void => void sizes.push(writes.length);
    const writer = createLedgerWriter({
      storage,
      keys,
      issuer: ISSUER,
      clock: () => NOON,
      onCommit,
    });
    await Promise.all(idsFor(5).map((proofId) => reserve(writer, proofId)));
    expect(sizes).toEqual([1, 4]);
  });

  describe('when another replica puts another key in force', () => {
    const next = newSigner();
    const toCurrentKey = (one: Signer): CurrentKey => ({
      signer: one,
      notBefore: new Date(NOON + 7),
    });
    const openWithRotation = (renew: () => Promise<CurrentKey | undefined>) => {
      let current: CurrentKey | undefined = toCurrentKey(signer);
      const failures: unknown[] = [];
      const rotating: WriterKeys = {
        currentKey: () => current,
        renew: async () => {
          current = undefined;
          current = await renew();
          return current;
        },
      };
      const options = { storage, keys: rotating, issuer: ISSUER, clock: () => NOON };
      const onFailure = (error: unknown): void => void failures.push(error);
      return { writer: createLedgerWriter({ ...options, onFailure }), failures };
    };

    it('signs the refused commit again with it, and fails no write', async () => {
      const { writer, failures } = openWithRotation(async () => toCurrentKey(next));
      const before = await certify(writer, idsFor(1)[0]!);
      storage.keyId = next.keyId;
      const after = await Promise.all(idsFor(5).map((proofId) => certify(writer, proofId)));
      expect(before.keyId).toBe(signer.keyId);
      expect(after.map(({ keyId }) => keyId)).toEqual(Array(5).fill(next.keyId));
      expect(new Set(after.map(({ chainIndex }) => chainIndex))).toEqual(new Set([1, 2, 3, 4, 5]));
      expect(failures).toEqual([]);
    });

    it('issues no certificate before the window of the key', async () => {
      const { writer } = openWithRotation(async () => toCurrentKey(next));
      storage.keyId = next.keyId;
      const { payload } = await certify(writer, idsFor(1)[0]!);
      const { issuedAt } = JSON.parse(payload) as { issuedAt: string };
      expect(issuedAt).toBe(new Date(NOON + 7).toISOString());
    });

    it.each([
      ['is unknown to this process', async () => undefined],
      ['is the refused one', async () => toCurrentKey(signer)],
      ['cannot be read', () => Promise.reject(new Error('no database'))],
    ])('rejects with LEDGER_UNAVAILABLE if the key in force %s', async (_case, renew) => {
      const { writer, failures } = openWithRotation(renew);
      const [proofId] = idsFor(1);
      await reserve(writer, proofId!);
      storage.keyId = next.keyId;
      await expect(append(writer, proofId!)).rejects.toMatchObject({
        reason: 'LEDGER_UNAVAILABLE',
      });
      expect(failures.length).toBeGreaterThan(0);
      expect(storage.certificates).toEqual([]);
    });

    it('preserves the order of the writes of the refused commit', async () => {
      const { writer, failures } = openWithRotation(async () => toCurrentKey(next));
      const [first, second] = idsFor(2);
      await reserve(writer, first!);
      storage.keyId = next.keyId;
      const pausedCommits = pauseCommits();
      const others = idsFor(1).map((proofId) => reserve(writer, proofId));
      await pausedCommits.reached;
      const shared = [append(writer, first!), reserve(writer, second!)];
      pausedCommits.release();
      await Promise.all([...others, ...shared]);
      expect(await append(writer, second!)).toMatchObject({ keyId: next.keyId, chainIndex: 1 });
      // The commit with the retired key wrote nothing; its two writes are in the next commit.
      expect(storage.commits).toEqual([1, 1, 2, 1]);
      expect(failures).toEqual([]);
    });

    it('accepts no reservation that could not be certified', async () => {
      const found: (CurrentKey | undefined)[] = [undefined, undefined, toCurrentKey(next)];
      const { writer } = openWithRotation(async () => found.shift());
      const [before, after] = idsFor(2);
      await reserve(writer, before!);
      storage.keyId = next.keyId;
      await expect(append(writer, before!)).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
      await expect(reserve(writer, after!)).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
      await reserve(writer, after!);
      expect(await append(writer, after!)).toMatchObject({ keyId: next.keyId });
    });
  });
});
