import { generateKeyPairSync } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { Client } from 'pg';
import { appendOf, certifyOne, makeDraft, reserveOf } from './drafts.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { exportChain, toProof, verifyExport } from './read-chain.ts';

describe('signing keys', () => {
  let fixture: LedgerFixture;
  let running: TestLedger[];
  beforeEach(async () => {
    fixture = await openLedgerFixture();
    running = [];
  });
  afterEach(async () => {
    for (const ledger of running) await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });
  const open = async (signingKeyFile: string): Promise<TestLedger> => {
    const ledger = await openLedger(fixture, { signingKeyFile });
    running.push(ledger);
    return ledger;
  };
  const join = async (files: readonly string[]): Promise<string> => {
    const file = await fixture.newKeyFile();
    const keys = await Promise.all(files.map((one) => readFile(one, 'utf8')));
    await writeFile(file, keys.join(''));
    return file;
  };
  const listKeys = async ({ certificates }: TestLedger) =>
    (await certificates.listSigningKeys({}, { timeoutMs: 5_000 })).keys;

  it('close the window of the old key at the start of the new one', async () => {
    const [first, second] = [await fixture.newKeyFile(), await fixture.newKeyFile()];
    const before = await open(first);
    const after = await open(second);
    const keys = await listKeys(after);
    expect(keys).toHaveLength(2);
    expect(keys[0]!.notAfter).toBeUndefined();
    expect(keys[1]!.notAfter).toEqual(keys[0]!.notBefore);
    expect(await listKeys(before)).toEqual(keys);
  });

  it('verify old and new certificates after a rotation', async () => {
    const workspaceId = newId('ws');
    const before = await open(await fixture.newKeyFile());
    const oldKey = await certifyOne(before.writer, workspaceId);
    const after = await open(await fixture.newKeyFile());
    const newKey = await certifyOne(after.writer, workspaceId);
    expect(newKey.keyId).not.toBe(oldKey.keyId);
    expect(verifyExport(await exportChain(after.certificates, workspaceId)).count).toBe(2);
  });

  it('reject every append of a process with a retired key, and lose no reservation', async () => {
    const workspaceId = newId('ws');
    const before = await open(await fixture.newKeyFile());
    await certifyOne(before.writer, workspaceId);
    const draft = makeDraft();
    await before.writer.write(reserveOf(workspaceId, draft));
    const after = await open(await fixture.newKeyFile());
    const lateResult = before.writer.write(appendOf(workspaceId, draft));
    await expect(lateResult).rejects.toMatchObject({ reason: 'LEDGER_UNAVAILABLE' });
    await after.writer.write(appendOf(workspaceId, draft));
    expect(verifyExport(await exportChain(after.certificates, workspaceId)).count).toBe(2);
  });

  it('can be rotated under load: every acknowledged certificate verifies', async () => {
    const workspaceId = newId('ws');
    const before = await open(await fixture.newKeyFile());
    const acknowledged: string[] = [];
    let rotated = false;
    const first = Promise.withResolvers<void>();
    const worker = async (): Promise<void> => {
      while (!rotated) {
        const draft = makeDraft();
        await certifyOne(before.writer, workspaceId, draft);
        acknowledged.push(draft.proofId);
        first.resolve();
      }
    };
    const load = Promise.allSettled(Array.from({ length: 16 }, worker));
    await first.promise;
    const after = await open(await fixture.newKeyFile());
    rotated = true;
    await load;
    await certifyOne(after.writer, workspaceId);
    const chain = await exportChain(after.certificates, workspaceId);
    expect(verifyExport(chain).count).toBe(acknowledged.length + 1);
    expect(acknowledged.length).toBeGreaterThan(0);
  });

  it('can be rotated under load without failed writes if all replicas have both', async () => {
    const workspaceId = newId('ws');
    const [oldKey, newKey] = [await fixture.newKeyFile(), await fixture.newKeyFile()];
    const [oldKeyFirst, newKeyFirst] = [await join([oldKey, newKey]), await join([newKey, oldKey])];
    const replicas = [await open(oldKeyFirst), await open(oldKeyFirst)];
    const oldKeyId = (await listKeys(replicas[0]!))[0]!.keyId;
    let isLoadOver = false;
    const used: string[] = [];
    const first = Promise.withResolvers<void>();
    const work = async ({ writer }: TestLedger): Promise<void> => {
      while (!isLoadOver) {
        used.push((await certifyOne(writer, workspaceId)).keyId);
        first.resolve();
      }
    };
    const load = Promise.all(
      replicas.flatMap((replica) => [work(replica), work(replica), work(replica)]),
    );
    load.catch(() => {});
    await Promise.race([first.promise, load]);
    const third = await open(newKeyFirst);
    const newKeyId = (await listKeys(third))[0]!.keyId;
    const hasUsedNewKey = (): boolean => used.filter((keyId) => keyId === newKeyId).length >= 60;
    while (!hasUsedNewKey()) await Promise.race([load, pause(10)]);
    isLoadOver = true;
    await load;
    await certifyOne(third.writer, workspaceId);
    expect(new Set(used)).toEqual(new Set([oldKeyId, newKeyId]));
    expect(verifyExport(await exportChain(third.certificates, workspaceId)).count).toBe(
      used.length + 1,
    );
    for (const { service } of replicas) {
      const ready = await fetch(`${service.adminUrl}/readyz`);
      expect(await ready.json()).toMatchObject({ ready: true });
    }
  });

  it('sign in a process whose file has a retired key first and the current one second', async () => {
    const [oldKey, newKey] = [await fixture.newKeyFile(), await fixture.newKeyFile()];
    await open(oldKey);
    await open(newKey);
    const lateResult = await open(await join([oldKey, newKey]));
    const certificate = await certifyOne(lateResult.writer, newId('ws'));
    expect(await listKeys(lateResult)).toMatchObject([{ keyId: certificate.keyId }, {}]);
  });

  it('stay in force when the same key file is used again', async () => {
    const keyFile = await fixture.newKeyFile();
    const ledger = await open(keyFile);
    await open(keyFile);
    expect(await listKeys(ledger)).toHaveLength(1);
  });

  it('cannot be used again after they were retired', async () => {
    const first = await fixture.newKeyFile();
    await open(first);
    await open(await fixture.newKeyFile());
    await expect(open(first)).rejects.toThrow('was retired');
  });

  it('sign nothing before their window, even if the clock of the process is behind', async () => {
    const keyFile = await fixture.newKeyFile();
    const ledger = await open(keyFile);
    await ledger[Symbol.asyncDispose]();
    running = [];
    const admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
    // Simulates a database clock that is an hour ahead of the ledger's.
    await admin.query(`UPDATE ledger.signing_key SET not_before = not_before + interval '1 hour'`);
    await admin.end();
    const replicaWithOldKey = await open(keyFile);
    const workspaceId = newId('ws');
    const certificate = await certifyOne(replicaWithOldKey.writer, workspaceId);
    const [key] = await listKeys(replicaWithOldKey);
    const { issuedAt } = toProof(certificate).payload as { issuedAt: string };
    expect(issuedAt >= timestampDate(key!.notBefore!).toISOString()).toBe(true);
    expect(verifyExport(await exportChain(replicaWithOldKey.certificates, workspaceId)).count).toBe(
      1,
    );
  });

  it('must be Ed25519', async () => {
    const rsa = await fixture.newKeyFile();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    await writeFile(rsa, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await expect(open(rsa)).rejects.toThrow('must be an Ed25519 private key');
  });

  it('make a process not ready if all its keys are retired', async () => {
    const before = await open(await fixture.newKeyFile());
    const readReadiness = async ({ service }: TestLedger): Promise<unknown> =>
      (await fetch(`${service.adminUrl}/readyz`)).json();
    expect(await readReadiness(before)).toMatchObject({ ready: true });
    const after = await open(await fixture.newKeyFile());
    expect(await readReadiness(before)).toMatchObject({
      ready: false,
      checks: { 'signing-key': 'failing' },
    });
    expect(await readReadiness(after)).toMatchObject({ ready: true });
  });
});

describe('the issuer', () => {
  it('never changes for a database', async () => {
    await using fixture = await openLedgerFixture();
    const signingKeyFile = await fixture.newKeyFile();
    const ledger = await openLedger(fixture, { signingKeyFile });
    await ledger[Symbol.asyncDispose]();
    const other = openLedger(fixture, { signingKeyFile, issuer: 'acme' });
    await expect(other).rejects.toThrow('an issuer never changes');
  });
});
