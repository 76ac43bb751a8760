import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { QueryConfig } from 'pg';
import { createCertificateStore } from '../src/chain/store/certificate-store.ts';
import { signCertificates } from '../src/chain/sign-certificates.ts';
import { createSigner } from '../src/signing-key/signer.ts';
import type { LedgerStorage, SignedGroup } from '../src/write/ledger-write.ts';
import { createLedgerStore } from '../src/write/store/ledger-store.ts';
import { makeDraft } from './drafts.ts';
import { ISSUER, NOW, openPostgres, release, reserve } from './storage-implementations.ts';

const COMMON = ['commit_common_writes'];
const UNCOMMON = ['commit_attributed_writes'];
const BOTH = [...COMMON, ...UNCOMMON];
const OPENING_CREDIT = 1_000;

type Commit = Parameters<LedgerStorage['commit']>;

describe.each([
  ['unmetered', undefined],
  ['metered', OPENING_CREDIT],
])('a commit of an %s ledger', (_name, openingCredit) => {
  const isMetered = openingCredit !== undefined;
  const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
  let opened: Awaited<ReturnType<typeof openPostgres>>;
  let storage: LedgerStorage;
  let calls: string[] = [];
  const backends = new Set<number>();

  beforeAll(async () => {
    opened = await openPostgres(signer, openingCredit);
    const { pool } = opened.database;
    const query = (statement: QueryConfig) => {
      calls.push(statement.name!);
      return pool.query(statement);
    };
    const connect = async () => {
      const client = await pool.connect();
      backends.add((client as unknown as { processID: number }).processID);
      return {
        query: (statement: QueryConfig) => {
          calls.push(statement.name!);
          return client.query(statement);
        },
        release: (isBroken: boolean) => client.release(isBroken),
      };
    };
    const watched = { ...opened.database, pool: { query, connect } as unknown as Database['pool'] };
    const metering = { isMetered, openingCredit: openingCredit ?? 0 };
    storage = createLedgerStore(watched, createCertificateStore(opened.database), {
      issuer: ISSUER,
      metering,
    });
  });
  afterAll(() => opened.close());

  const sign = async (
    workspaceId: string,
    ids: readonly string[],
    settles?: ReadonlyMap<string, string>,
  ): Promise<SignedGroup> => {
    const before = (await storage.loadHeads([workspaceId])).get(workspaceId)!;
    const context = { workspaceId, issuer: ISSUER, head: before, now: NOW };
    const drafts = ids.map((id) => makeDraft(id));
    const { certificates, head: after } = await signCertificates(drafts, context, signer);
    return { workspaceId, before, after, certificates, settles };
  };
  const hold = (workspaceId: string, id: string, amount = 10n) =>
    reserve(workspaceId, id, { amount, minimum: 1n, intent: makeDraft(id) });
  const functionsOf = async (writes: Commit[0], groups: Commit[1] = []): Promise<string[]> => {
    calls = [];
    await storage.commit(writes, groups, signer.keyId);
    return calls;
  };
  const openWorkspace = async (...ids: string[]): Promise<string> => {
    const workspaceId = newId('ws');
    // The first one opens the account of a metered workspace.
    const all = [newId('pf'), ...ids].map((id) => hold(workspaceId, id));
    for (const write of all) await storage.commit([write], [], signer.keyId);
    return workspaceId;
  };

  it('is one statement for new reservations and the certificates of open ones', async () => {
    const [first, second, third] = [newId('pf'), newId('pf'), newId('pf')];
    const [one, other] = [await openWorkspace(first, second), await openWorkspace(third)];
    const groups = [await sign(one, [first, second]), await sign(other, [third])];
    const reserves = [one, other, one].map((workspaceId) => hold(workspaceId, newId('pf')));
    expect(await functionsOf(reserves, groups)).toEqual(COMMON);
    for (const group of groups) {
      const { workspaceId, after, certificates } = group;
      expect((await storage.loadHeads([workspaceId])).get(workspaceId)).toEqual(after);
      const { id, payload } = certificates.at(-1)!;
      expect(await storage.findCertificate(workspaceId, id)).toMatchObject({ payload });
    }
    const held = await storage.commit([hold(one, first)], [], signer.keyId);
    expect(held.taken).toEqual(new Map([[first, 'settled']]));
  });

  it('is not tried with releases and other ids', async () => {
    const [released, renamed] = [newId('pf'), newId('pf')];
    const workspaceId = await openWorkspace(released, renamed);
    expect(await functionsOf([release(workspaceId, released)])).toEqual(UNCOMMON);
    const answer = newId('pf');
    const group = await sign(workspaceId, [answer], new Map([[answer, renamed]]));
    expect(await functionsOf([], [group])).toEqual(UNCOMMON);
  });

  it('is repeated as another one if an id is used, the head moved or nothing is open', async () => {
    const [first, second] = [newId('pf'), newId('pf')];
    const workspaceId = await openWorkspace(first, second);
    expect(await functionsOf([hold(workspaceId, first)])).toEqual(BOTH);
    const stale = await sign(workspaceId, [first]);
    expect(await functionsOf([], [await sign(workspaceId, [second])])).toEqual(COMMON);
    expect(await functionsOf([], [stale])).toEqual(BOTH);
    expect(await functionsOf([], [await sign(workspaceId, [second])])).toEqual(BOTH);
    expect(await functionsOf([], [await sign(workspaceId, [first])])).toEqual(COMMON);
  });

  it('keeps its connection, whichever function refuses', async () => {
    const first = newId('pf');
    const workspaceId = await openWorkspace(first);
    backends.clear();
    await functionsOf([hold(workspaceId, first)]);
    await functionsOf([], [await sign(workspaceId, [newId('pf')])]);
    await functionsOf([hold(workspaceId, newId('pf'))]);
    expect(backends.size).toBe(1);
  });

  if (!isMetered) return;
  it('is repeated for an account to open, too few tokens, and an overrun', async () => {
    const [workspaceId, first, second] = [newId('ws'), newId('pf'), newId('pf')];
    expect(await functionsOf([hold(workspaceId, first, 2n)])).toEqual(BOTH);
    expect(await functionsOf([hold(workspaceId, second, 998n)])).toEqual(COMMON);
    expect(await functionsOf([hold(workspaceId, newId('pf'))])).toEqual(BOTH);
    // The certificate states 4 tokens, and only 2 are held.
    expect(await functionsOf([], [await sign(workspaceId, [first])])).toEqual(BOTH);
  });
});
