import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isServiceError } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { Client } from 'pg';
import { appendOf, makeDraft, reserveOf } from './drafts.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { verifiedIds } from './read-chain.ts';

const KILL_COUNT = 40;
const IN_FLIGHT = 24;
const ATTEMPTS_MAX = 200;

describe('a ledger whose connections are killed under load', () => {
  let fixture: LedgerFixture;
  let ledgers: TestLedger[];
  let admin: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    const signingKeyFile = await fixture.newKeyFile();
    ledgers = [
      await openLedger(fixture, { signingKeyFile }),
      await openLedger(fixture, { signingKeyFile }),
    ];
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const retryUntilOutcomeKnown = async <T>(
    write: () => Promise<T>,
  ): Promise<{ value: T; attempts: number }> => {
    for (let attempts = 1; ; attempts += 1) {
      try {
        return { value: await write(), attempts };
      } catch (error) {
        const isRetryable = isServiceError(error) && error.reason === 'LEDGER_UNAVAILABLE';
        if (!isRetryable || attempts > ATTEMPTS_MAX) throw error;
      }
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };

  it('loses no acknowledged certificate, and a retry by id returns it', async () => {
    const workspaceIds = [newId('ws'), newId('ws')];
    const acknowledged = new Map(workspaceIds.map((id) => [id, new Map<string, string>()]));
    let killing = true;
    let retried = 0;
    const worker = async (number: number): Promise<void> => {
      const { writer } = ledgers[number % 2]!;
      const workspaceId = workspaceIds[number % workspaceIds.length]!;
      while (killing) {
        const draft = makeDraft();
        await retryUntilOutcomeKnown(() => writer.write(reserveOf(workspaceId, draft)));
        const { value, attempts } = await retryUntilOutcomeKnown(() =>
          writer.write(appendOf(workspaceId, draft)),
        );
        retried += attempts - 1;
        acknowledged.get(workspaceId)!.set(draft.proofId, value!.payloadHash);
      }
    };
    const load = Promise.all(Array.from({ length: IN_FLIGHT }, (_, number) => worker(number)));
    let killed = 0;
    while (killed < KILL_COUNT) {
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND backend_type = 'client backend' ORDER BY random() LIMIT 1`,
      );
      killed += rowCount ?? 0;
      // Lets the load make some round trips between two kills.
      for (let turn = 0; turn < 5 + (killed % 7); turn += 1) await admin.query('SELECT 1');
    }
    killing = false;
    await load;
    expect(retried).toBeGreaterThan(0);
    for (const [workspaceId, proofs] of acknowledged) {
      const ids = await verifiedIds(ledgers[0]!.certificates, workspaceId);
      expect(ids.toSorted()).toEqual([...proofs.keys()].toSorted());
    }
  });
});
