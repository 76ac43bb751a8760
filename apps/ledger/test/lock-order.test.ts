import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { signCertificates } from '../src/chain/sign-certificates.ts';
import { createSigner } from '../src/signing-key/signer.ts';
import type { SignedGroup } from '../src/write/ledger-write.ts';
import { makeDraft } from './drafts.ts';
import {
  ISSUER,
  NO_PROBLEMS,
  NOW,
  openPostgres,
  release,
  reserve,
} from './storage-implementations.ts';

const WAITING = `SELECT FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%commit_attributed_writes%'`;

const signer = createSigner(generateKeyPairSync('ed25519').privateKey);
let opened: Awaited<ReturnType<typeof openPostgres>>;
beforeAll(async () => {
  opened = await openPostgres(signer);
});
afterAll(() => opened.close());

it('two commits of which each settles what the other releases do not deadlock', async () => {
  const { storage, database } = opened;
  const sign = async (workspaceId: string, id: string): Promise<SignedGroup> => {
    const before = (await storage.loadHeads([workspaceId])).get(workspaceId)!;
    const context = { workspaceId, issuer: ISSUER, head: before, now: NOW };
    const { certificates, head: after } = await signCertificates([makeDraft(id)], context, signer);
    return { workspaceId, before, after, certificates };
  };
  const calls = [0, 1].map(() => ({ workspaceId: newId('ws'), id: newId('pf') }));
  const [one, other] = calls as [(typeof calls)[0], (typeof calls)[0]];
  await storage.commit(
    calls.map(({ workspaceId, id }) => reserve(workspaceId, id)),
    [],
    signer.keyId,
  );
  const groups = await Promise.all(calls.map(({ workspaceId, id }) => sign(workspaceId, id)));
  // A commit locks the signing key after the reservations that it releases. While another
  // transaction has that lock, both commits reach this point.
  const client = await database.pool.connect();
  await client.query('BEGIN; SELECT FROM signing_key FOR UPDATE');
  const commits = [
    storage.commit([release(other.workspaceId, other.id)], [groups[0]!], signer.keyId),
    storage.commit([release(one.workspaceId, one.id)], [groups[1]!], signer.keyId),
  ];
  await eventually(async () => (await database.pool.query(WAITING)).rowCount === 2);
  await client.query('COMMIT');
  client.release();
  const problems = await Promise.all(commits);
  const late = problems.findIndex(({ unreserved }) => unreserved.size > 0);
  expect(problems[1 - late]).toEqual(NO_PROBLEMS);
  expect(problems[late]!.unreserved).toEqual(new Set([calls[late]!.id]));
});
