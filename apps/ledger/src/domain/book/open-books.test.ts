import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeDraft } from '../../../test/drafts.ts';
import { createFakeBookStorage } from '../../../test/fake-book-storage.ts';
import type { FakeBookStorage } from '../../../test/fake-book-storage.ts';
import type { KeyInForce, Keyring } from '../signing-key/keyring.ts';
import { createSigner } from '../signing-key/signer.ts';
import type { Signer } from '../signing-key/signer.ts';
import { openBooks } from './open-books.ts';
import type { Books } from './open-books.ts';

const ISSUER = 'witan-test';
const NOON = Date.parse('2026-06-01T12:00:00.000Z');
const WORKSPACE = 'ws_a';

type HeldKeys = Pick<Keyring, 'inForce' | 'renew'>;

const newSigner = (): Signer => createSigner(generateKeyPairSync('ed25519').privateKey);
const signer = newSigner();

/** Holds one key, in force since ever. */
const keys: HeldKeys = {
  inForce: () => ({ signer, notBefore: new Date(0) }),
  renew: async () => undefined,
};

/** A clock that a test sets. */
const createClock = () => {
  const clock = { now: NOON, read: () => clock.now };
  return clock;
};

const open = (storage: FakeBookStorage, clock: () => number = () => NOON): Books =>
  openBooks({ storage, keys, issuer: ISSUER, clock });

const reserve = (books: Books, proofId: string, workspaceId = WORKSPACE) =>
  books.write({
    kind: 'reserve',
    workspaceId,
    proofId,
    amount: 0n,
    minimum: 0n,
    intent: undefined,
    expiresInMs: 60_000,
  });
const append = async (
  books: Books,
  proofId: string,
  workspaceId = WORKSPACE,
  reservationId = proofId,
) => {
  const draft = makeDraft(proofId);
  const outcome = await books.write({ kind: 'append', workspaceId, proofId, reservationId, draft });
  if (outcome.kind !== 'appended') throw new Error(`an append was ${outcome.kind}`);
  return outcome.certificate;
};
const certify = async (books: Books, proofId: string, workspaceId = WORKSPACE) => {
  await reserve(books, proofId, workspaceId);
  return await append(books, proofId, workspaceId);
};
const idsFor = (count: number): string[] =>
  Array.from({ length: count }, () => makeDraft().proofId);

describe('the books', () => {
  let storage: FakeBookStorage;
  beforeEach(() => {
    storage = createFakeBookStorage({ keyId: signer.keyId, issuer: ISSUER });
  });

  /** Holds commits back; the answer counts those that wait, and lets them all go. */
  const holdCommits = () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    storage.beforeCommit = async () => {
      reached.resolve();
      await gate.promise;
    };
    return { reached: reached.promise, release: gate.resolve };
  };

  it('never let issuedAt go back, whatever the clock does', async () => {
    const clock = createClock();
    const books = open(storage, clock.read);
    const steps = [0, 5, -60_000, -59_999, 3, 4, -1, 100];
    const issued: string[] = [];
    for (const [place, step] of steps.entries()) {
      clock.now = NOON + step;
      const { payload } = await certify(books, `pf_0000000000000000000${place}`);
      issued.push((JSON.parse(payload) as { issuedAt: string }).issuedAt);
    }
    const expected = [0, 5, 5, 5, 5, 5, 5, 100];
    expect(issued).toEqual(expected.map((step) => new Date(NOON + step).toISOString()));
  });

  it('keep issuedAt from going back after a restart with an earlier clock', async () => {
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

  it('commit together what gathers while a commit runs', async () => {
    const books = open(storage);
    const held = holdCommits();
    const writes = idsFor(100).map((proofId) => reserve(books, proofId));
    await held.reached;
    held.release();
    await Promise.all(writes);
    expect(storage.commits).toEqual([1, 99]);
  });

  it('put at most 100 writes into one commit', async () => {
    const books = open(storage);
    const held = holdCommits();
    const writes = idsFor(600).map((proofId) => reserve(books, proofId));
    await held.reached;
    held.release();
    await Promise.all(writes);
    expect(storage.commits).toEqual([1, 100, 100, 100, 100, 100, 99]);
  });

  it('seal a commit of many workspaces as one link of each chain', async () => {
    const books = open(storage);
    const workspaces = ['ws_a', 'ws_b', 'ws_c'];
    const ids = idsFor(30);
    const all = ids.map((id, place) => certify(books, id, workspaces[place % 3]));
    const indices = (await Promise.all(all)).map(({ chainIndex }) => chainIndex);
    expect(indices.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, place) => Math.floor(place / 3)),
    );
  });

  it('seal again what another replica overtook', async () => {
    const [mine, other] = [open(storage), open(storage)];
    const [first, second, third] = idsFor(3);
    await certify(mine, first!);
    await certify(other, second!);
    // The first one's memory of the head is stale now.
    const certificate = await certify(mine, third!);
    expect(certificate.chainIndex).toBe(2);
    expect(storage.certificates.map(({ id }) => id)).toEqual([first, second, third]);
  });

  it('give up as LEDGER_UNAVAILABLE when other replicas are always faster', async () => {
    const books = open(storage);
    const rival = open(storage);
    const [mine] = idsFor(1);
    await reserve(books, mine!);
    let overtaking = false;
    storage.beforeCommit = async () => {
      if (overtaking) return;
      overtaking = true;
      await certify(rival, makeDraft().proofId);
      overtaking = false;
    };
    await expect(append(books, mine!)).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
    storage.beforeCommit = async () => {};
    expect(await append(books, mine!)).toMatchObject({ id: mine });
  });

  it('fail every write of a commit whose fate is unknown, and take each one again', async () => {
    const books = open(storage);
    const [lostBefore, lostAfter] = idsFor(2);
    for (const proofId of [lostBefore!, lostAfter!]) await reserve(books, proofId);
    storage.beforeCommit = async () => {
      throw new Error('connection lost');
    };
    const before = append(books, lostBefore!);
    await expect(before).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
    storage.beforeCommit = async () => {};
    storage.afterCommit = async () => {
      throw new Error('connection lost');
    };
    const after = append(books, lostAfter!);
    await expect(after).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
    storage.afterCommit = async () => {};
    expect(await append(books, lostBefore!)).toMatchObject({ chainIndex: 1 });
    expect(await append(books, lostAfter!)).toMatchObject({ chainIndex: 0 });
    expect(storage.certificates).toHaveLength(2);
  });

  it('seal the neighbours of a refused append, in order and without a hole', async () => {
    const books = open(storage);
    const ids = idsFor(9);
    const unreserved = new Set([ids[2], ids[7]]);
    for (const proofId of ids) if (!unreserved.has(proofId)) await reserve(books, proofId);
    const held = holdCommits();
    const outcomes = Promise.allSettled(ids.map((proofId) => append(books, proofId)));
    await held.reached;
    held.release();
    const refused = (await outcomes).flatMap((one, place) =>
      one.status === 'rejected' ? [[ids[place], one.reason.reason]] : [],
    );
    expect(refused).toEqual([...unreserved].map((proofId) => [proofId, 'CONFLICT']));
    expect(storage.certificates.map(({ chainIndex }) => chainIndex)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('never put two writes of one reservation into one commit, whatever their ids', async () => {
    const books = open(storage);
    const [first, own, one, two] = idsFor(4) as [string, string, string, string];
    await reserve(books, own);
    const held = holdCommits();
    const running = reserve(books, first);
    await held.reached;
    const outcomes = [
      append(books, one, WORKSPACE, own),
      append(books, two, WORKSPACE, own),
      append(books, own),
      reserve(books, one).catch(({ fields }: { fields: unknown }) => fields),
    ];
    held.release();
    await running;
    const standing = { id: one, chainIndex: 0 };
    expect(await Promise.all(outcomes)).toMatchObject([
      standing,
      standing,
      standing,
      { code: 'proof_id_settled', proof: one },
    ]);
    expect(storage.certificates.map(({ id }) => id)).toEqual([one]);
    expect(storage.commits.slice(1)).toEqual([1, 1, 2, 1]);
  });

  it('tell of every commit how many writes it held', async () => {
    const told: number[] = [];
    const onCommit = (writes: readonly object[]): void => void told.push(writes.length);
    const books = openBooks({ storage, keys, issuer: ISSUER, clock: () => NOON, onCommit });
    await Promise.all(idsFor(5).map((proofId) => reserve(books, proofId)));
    expect(told).toEqual([1, 4]);
  });

  describe('when another replica puts another key in force', () => {
    const next = newSigner();
    const inForce = (one: Signer): KeyInForce => ({ signer: one, notBefore: new Date(NOON + 7) });
    /** Has the first key, and after it what it finds. */
    const openRotating = (renew: () => Promise<KeyInForce | undefined>) => {
      let current: KeyInForce | undefined = inForce(signer);
      const failures: unknown[] = [];
      const rotating: HeldKeys = {
        inForce: () => current,
        renew: async () => {
          current = undefined;
          current = await renew();
          return current;
        },
      };
      const options = { storage, keys: rotating, issuer: ISSUER, clock: () => NOON };
      const onFailure = (error: unknown): void => void failures.push(error);
      return { books: openBooks({ ...options, onFailure }), failures };
    };

    it('seal again what was refused, with it, and fail nobody', async () => {
      const { books, failures } = openRotating(async () => inForce(next));
      const before = await certify(books, idsFor(1)[0]!);
      storage.keyId = next.keyId;
      const after = await Promise.all(idsFor(5).map((proofId) => certify(books, proofId)));
      expect(before.keyId).toBe(signer.keyId);
      expect(after.map(({ keyId }) => keyId)).toEqual(Array(5).fill(next.keyId));
      expect(new Set(after.map(({ chainIndex }) => chainIndex))).toEqual(new Set([1, 2, 3, 4, 5]));
      expect(failures).toEqual([]);
    });

    it('issue nothing before its window', async () => {
      const { books } = openRotating(async () => inForce(next));
      storage.keyId = next.keyId;
      const { payload } = await certify(books, idsFor(1)[0]!);
      const { issuedAt } = JSON.parse(payload) as { issuedAt: string };
      expect(issuedAt).toBe(new Date(NOON + 7).toISOString());
    });

    it.each([
      ['is not held here', async () => undefined],
      ['is the one that was refused', async () => inForce(signer)],
      ['cannot be looked for', () => Promise.reject(new Error('no database'))],
    ])('say that they are not available when it %s', async (_case, renew) => {
      const { books, failures } = openRotating(renew);
      const [proofId] = idsFor(1);
      await reserve(books, proofId!);
      storage.keyId = next.keyId;
      await expect(append(books, proofId!)).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
      expect(failures.length).toBeGreaterThan(0);
      expect(storage.certificates).toEqual([]);
    });

    it('keep the order of what shared the refused commit', async () => {
      const { books, failures } = openRotating(async () => inForce(next));
      const [first, second] = idsFor(2);
      await reserve(books, first!);
      storage.keyId = next.keyId;
      const held = holdCommits();
      const others = idsFor(1).map((proofId) => reserve(books, proofId));
      await held.reached;
      const shared = [append(books, first!), reserve(books, second!)];
      held.release();
      await Promise.all([...others, ...shared]);
      expect(await append(books, second!)).toMatchObject({ keyId: next.keyId, chainIndex: 1 });
      // The refused commit wrote nothing: its two writes are in the one after it.
      expect(storage.commits).toEqual([1, 1, 2, 1]);
      expect(failures).toEqual([]);
    });

    it('take no reservation that nothing could be certified of', async () => {
      const found: (KeyInForce | undefined)[] = [undefined, undefined, inForce(next)];
      const { books } = openRotating(async () => found.shift());
      const [before, after] = idsFor(2);
      await reserve(books, before!);
      storage.keyId = next.keyId;
      await expect(append(books, before!)).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
      await expect(reserve(books, after!)).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
      await reserve(books, after!);
      expect(await append(books, after!)).toMatchObject({ keyId: next.keyId });
    });
  });
});
