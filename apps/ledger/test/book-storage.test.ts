import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { genesisHash } from '@witan/proof';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import { createTestDatabase } from '@witan/testing';
import type { BookStorage, BookWrite, SealedGroup } from '../src/domain/book/write.ts';
import { sealCertificates } from '../src/domain/certificate/seal-certificates.ts';
import type { ChainHead } from '../src/domain/certificate/seal-certificates.ts';
import { createSigner } from '../src/domain/signing-key/signer.ts';
import type { Signer } from '../src/domain/signing-key/signer.ts';
import { createBookStore } from '../src/storage/book-store.ts';
import { createCertificateStore } from '../src/storage/certificate-store.ts';
import { CertificateEntity, SigningKeyEntity } from '../src/storage/entities.ts';
import { Books } from '../src/storage/migrations/0001-books.ts';
import { WriteBooks } from '../src/storage/migrations/0002-write-books.ts';
import { makeCurrent } from '../src/storage/signing-key-store.ts';
import { makeDraft } from './drafts.ts';
import { createFakeBookStorage } from './fake-book-storage.ts';

const ISSUER = 'witan-test';
const NOW = Date.parse('2026-06-01T12:00:00.000Z');

type Opened = { storage: BookStorage; close: () => Promise<void> };

const openFake = async (signer: Signer): Promise<Opened> => ({
  storage: createFakeBookStorage(signer.keyId, ISSUER),
  close: async () => {},
});

const openPostgres = async (signer: Signer): Promise<Opened> => {
  const test = await createTestDatabase(['ledger']);
  const database = await openDatabase({
    url: test.urls.ledger!,
    schema: 'ledger',
    entities: [CertificateEntity, SigningKeyEntity],
    migrations: [
      { name: '0001-books', class: Books },
      { name: '0002-write-books', class: WriteBooks },
    ],
    log: createLog({ service: 'ledger', level: 'silent' }),
  });
  await makeCurrent(database, signer);
  return {
    storage: createBookStore(database, createCertificateStore(database), ISSUER),
    close: async () => {
      await database[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
    },
  };
};

const NO_PROBLEMS = { moved: new Set(), unreserved: new Set(), taken: new Set() };

const reserve = (workspaceId: string, proofId: string): Exclude<BookWrite, { kind: 'append' }> => ({
  kind: 'reserve',
  workspaceId,
  proofId,
  amount: 0n,
  intent: undefined,
  expiresInMs: 60_000,
});
const release = (workspaceId: string, proofId: string) =>
  ({ kind: 'release', workspaceId, proofId }) as const;

describe.each([
  ['the fake', openFake],
  ['Postgres', openPostgres],
] as const)('books in %s', (_name, open) => {
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  let opened: Opened;
  let storage: BookStorage;
  beforeAll(async () => {
    opened = await open(signer);
    ({ storage } = opened);
  });
  afterAll(() => opened.close());

  const headOf = async (workspaceId: string): Promise<ChainHead> =>
    (await storage.loadHeads([workspaceId])).get(workspaceId)!;
  const seal = async (
    workspaceId: string,
    before: ChainHead,
    ids: readonly string[],
  ): Promise<SealedGroup> => {
    const place = { workspaceId, issuer: ISSUER, head: before, now: NOW };
    const drafts = ids.map((id) => makeDraft(id));
    const { certificates, head: after } = await sealCertificates(drafts, place, signer);
    return { workspaceId, before, after, certificates };
  };
  const commit = (writes: Parameters<BookStorage['commit']>[0], groups: SealedGroup[]) =>
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

  it('append what is reserved in the same commit, and move the head', async () => {
    const [workspaceId, first, second] = [newId('ws'), newId('pf'), newId('pf')];
    const group = await seal(workspaceId, await headOf(workspaceId), [first, second]);
    const writes = [reserve(workspaceId, first), reserve(workspaceId, second)];
    expect(await commit(writes, [group])).toEqual(NO_PROBLEMS);
    expect(await headOf(workspaceId)).toEqual(group.after);
    expect(await storage.findCertificate(workspaceId, second)).toMatchObject({
      chainIndex: 1,
      payload: group.certificates[1]!.payload,
    });
    expect(await storage.findCertificate(newId('ws'), second)).toBeUndefined();
  });

  it('append nothing of a chain whose head moved, and keep its reservation', async () => {
    const [workspaceId, first, second] = [newId('ws'), newId('pf'), newId('pf')];
    const stale = await headOf(workspaceId);
    const writes = [reserve(workspaceId, first), reserve(workspaceId, second)];
    await commit(writes, [await seal(workspaceId, stale, [first])]);
    const late = await commit([], [await seal(workspaceId, stale, [second])]);
    expect(late).toEqual({ ...NO_PROBLEMS, moved: new Set([workspaceId]) });
    expect(await storage.findCertificate(workspaceId, second)).toBeUndefined();
    const again = await commit([], [await seal(workspaceId, await headOf(workspaceId), [second])]);
    expect(again).toEqual(NO_PROBLEMS);
  });

  it('leave a group out whole when one of it is not reserved, and no other group', async () => {
    const [bad, good] = [newId('ws'), newId('ws')];
    const [held, unheld, other] = [newId('pf'), newId('pf'), newId('pf')];
    const groups = [
      await seal(bad, await headOf(bad), [held, unheld]),
      await seal(good, await headOf(good), [other]),
    ];
    const problems = await commit([reserve(bad, held), reserve(good, other)], groups);
    expect(problems).toEqual({ ...NO_PROBLEMS, unreserved: new Set([unheld]) });
    expect((await headOf(bad)).chainIndex).toBe(-1);
    expect((await headOf(good)).chainIndex).toBe(0);
  });

  it("count another workspace's reservation for nothing", async () => {
    const [owner, thief, proofId] = [newId('ws'), newId('ws'), newId('pf')];
    await commit([reserve(owner, proofId)], []);
    expect(await commit([reserve(thief, proofId)], [])).toEqual({
      ...NO_PROBLEMS,
      taken: new Set([proofId]),
    });
    const stolen = await commit([], [await seal(thief, await headOf(thief), [proofId])]);
    expect(stolen).toEqual({ ...NO_PROBLEMS, unreserved: new Set([proofId]) });
  });

  it("release the workspace's own reservation only, also in one commit with its owner's", async () => {
    const [owner, stranger, proofId] = [newId('ws'), newId('ws'), newId('pf')];
    await commit([reserve(owner, proofId)], []);
    await commit([reserve(owner, newId('pf')), release(stranger, proofId)], []);
    expect(await commit([reserve(owner, proofId)], [])).toEqual(NO_PROBLEMS);
    await commit([release(owner, proofId)], []);
    const late = await commit([], [await seal(owner, await headOf(owner), [proofId])]);
    expect(late).toEqual({ ...NO_PROBLEMS, unreserved: new Set([proofId]) });
  });

  it('take a reserve again while it is held, and refuse it once it ended', async () => {
    const [workspaceId, proofId] = [newId('ws'), newId('pf')];
    expect(await commit([reserve(workspaceId, proofId)], [])).toEqual(NO_PROBLEMS);
    expect(await commit([reserve(workspaceId, proofId)], [])).toEqual(NO_PROBLEMS);
    await commit([release(workspaceId, proofId)], []);
    expect(await commit([reserve(workspaceId, proofId)], [])).toEqual({
      ...NO_PROBLEMS,
      taken: new Set([proofId]),
    });
  });

  it('refuse the appends of a key that is not current, and nothing else', async () => {
    const [workspaceId, proofId] = [newId('ws'), newId('pf')];
    const group = await seal(workspaceId, await headOf(workspaceId), [proofId]);
    await storage.commit([reserve(workspaceId, proofId)], [], 'ed25519:retired');
    await expect(storage.commit([], [group], 'ed25519:retired')).rejects.toThrow('not current');
    expect(await commit([], [group])).toEqual(NO_PROBLEMS);
  });
});
