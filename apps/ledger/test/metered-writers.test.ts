import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Entry } from '@witan/contracts';
import { createLog, newId, openDatabase } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { findAuditViolations } from '../src/account/store/audit.ts';
import { MIGRATIONS } from '../src/migrations/migrations.ts';
import { creditWithRetries, makeMeteredCall } from './metered-caller.ts';
import type { CallEnd, CallPlan } from './metered-caller.ts';
import { optionsFor, openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { exportChain, verifyNatively } from './read-chain.ts';

const OPENING_CREDIT = 3_000;
const CREDIT = 2_000n;
const CALL_COUNT = 1_500;
const KILL_COUNT = 20;
const IN_FLIGHT = 16;
const NO_VIOLATIONS = { balance: 0, held: 0, settled: 0, usage: 0, certified: 0 };

const planOf = (number: number, workspaceId: string): CallPlan => {
  const amount = 20 + ((number * 37) % 400);
  return {
    workspaceId,
    amount,
    minimum: 1 + (amount >> 2),
    share: [0, 0.3, 1, 0.7, 1.4][number % 5]!,
    ending: number % 11 === 7 ? 'abandoned' : number % 7 === 3 ? 'released' : 'settled',
    isRenamed: number % 3 === 1,
  };
};

type Account = { credited: bigint; ends: CallEnd[] };

describe('concurrent metered calls on three replicas', () => {
  let fixture: LedgerFixture;
  let ledgers: TestLedger[];
  let database: Database;
  let admin: Client;
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    const options = {
      signingKeyFile: await fixture.newKeyFile(),
      isMetered: true,
      openingCredit: OPENING_CREDIT,
      sweepIntervalMs: 100,
    };
    ledgers = await Promise.all([1, 2, 3].map(() => openLedger(fixture, options)));
    database = await openDatabase({
      url: fixture.database.urls.ledger!,
      schema: 'ledger',
      entities: [],
      migrations: MIGRATIONS,
      log: createLog({ service: 'ledger', level: 'silent' }),
    });
    admin = new Client({ connectionString: fixture.database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await database[Symbol.asyncDispose]();
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  const runLoad = async (
    workspaceIds: readonly string[],
    isRunning: (startedCount: number) => boolean,
    onRetry: () => void,
  ): Promise<Map<string, Account>> => {
    const byWorkspace = new Map<string, Account>(
      workspaceIds.map((id) => [id, { credited: BigInt(OPENING_CREDIT), ends: [] }]),
    );
    let startedCount = 0;
    const worker = async (ledger: TestLedger): Promise<void> => {
      while (isRunning(startedCount)) {
        const workspaceId = workspaceIds[startedCount % workspaceIds.length]!;
        const plan = planOf(startedCount, workspaceId);
        startedCount += 1;
        const account = byWorkspace.get(workspaceId)!;
        const end = await makeMeteredCall(ledger.writer, plan, onRetry);
        account.ends.push(end);
        if (end.kind !== 'refused' || startedCount % 8 > 0) continue;
        const creditedTokens = await creditWithRetries(ledger, workspaceId, CREDIT);
        account.credited += creditedTokens;
      }
    };
    await Promise.all(
      ledgers.flatMap((ledger) => Array.from({ length: IN_FLIGHT }, () => worker(ledger))),
    );
    return byWorkspace;
  };

  const allEntries = async (workspaceId: string): Promise<Entry[]> => {
    const entries: Entry[] = [];
    let cursor = '';
    do {
      const page = await ledgers[0]!.accounts.listEntries(
        { limit: 500, cursor },
        optionsFor(workspaceId),
      );
      entries.push(...page.entries);
      cursor = page.nextCursor;
    } while (cursor !== '');
    return entries;
  };
  const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => a + b, 0n);
  const numberOf = async (text: string, values: string[] = []): Promise<bigint> =>
    BigInt((await admin.query<{ n: string }>(text, values)).rows[0]!.n);

  const expectRecorded = async (workspaceId: string, { credited, ends }: Account) => {
    const chain = await exportChain(ledgers[0]!.certificates, workspaceId);
    const ids = verifyNatively(chain);
    expect(new Set(ids).size).toBe(ids.length);
    const hashes = new Set(chain.certificates.map(({ payloadHash }) => payloadHash));
    const certifiedIds = new Set(ids);
    for (const end of ends) {
      if (end.kind === 'settled') expect(hashes.has(end.payloadHash)).toBe(true);
      if (end.kind === 'released' || end.kind === 'refused')
        expect(certifiedIds.has(end.proofId)).toBe(false);
      if (end.kind === 'abandoned') expect(certifiedIds.has(end.proofId)).toBe(true);
    }
    const certified = chain.certificates.map(({ payload }) => {
      const { response } = JSON.parse(payload) as {
        response: { usage: { totalTokens: number } };
      };
      return BigInt(response.usage.totalTokens);
    });
    const entries = await allEntries(workspaceId);
    const sumOfKinds = (...kinds: string[]): bigint =>
      sum(entries.filter(({ kind }) => kinds.includes(kind)).map(({ amount }) => amount));
    const unpaid = await numberOf(
      'SELECT coalesce(sum(unpaid), 0) AS n FROM ledger.reservation WHERE workspace_id = $1',
      [workspaceId],
    );
    expect(sumOfKinds('usage', 'overrun') + unpaid).toBe(sum(certified));
    expect(sumOfKinds('credit')).toBe(credited);
    const { balance } = await ledgers[1]!.accounts.getBalance({}, optionsFor(workspaceId));
    expect(balance).toMatchObject({ posted: credited - sumOfKinds('usage', 'overrun'), held: 0n });
  };

  const expectAllRecorded = async (byWorkspace: ReadonlyMap<string, Account>): Promise<void> => {
    const heldCountSql = `SELECT count(*) AS n FROM ledger.reservation WHERE state = 'held'`;
    await eventually(async () => (await numberOf(heldCountSql)) === 0n || undefined);
    for (const [workspaceId, account] of byWorkspace) await expectRecorded(workspaceId, account);
    expect(await findAuditViolations(database)).toEqual(NO_VIOLATIONS);
    const ends = [...byWorkspace.values()].flatMap((account) => account.ends);
    for (const kind of ['settled', 'released', 'abandoned', 'refused']) {
      expect(ends.some((end) => end.kind === kind)).toBe(true);
    }
    for (const kind of ['usage', 'overrun']) {
      const text = 'SELECT count(*) AS n FROM ledger.entry WHERE kind = $1';
      expect(await numberOf(text, [kind])).toBeGreaterThan(0n);
    }
  };

  it.each([
    ['one account', 1],
    ['seven accounts', 7],
  ])('are recorded exactly, and no commit fails: %s', async (_name, accounts) => {
    const workspaceIds = Array.from({ length: accounts }, () => newId('ws'));
    let retryCount = 0;
    const byWorkspace = await runLoad(
      workspaceIds,
      (startedCount) => startedCount < CALL_COUNT,
      () => {
        retryCount += 1;
      },
    );
    await expectAllRecorded(byWorkspace);
    // A deadlock or a violated balance check would have failed a commit, whose writes are retried.
    expect(retryCount).toBe(0);
  });

  it('are recorded exactly while connections are killed', async () => {
    let killed = 0;
    let retryCount = 0;
    const load = runLoad(
      [newId('ws')],
      () => killed < KILL_COUNT,
      () => {
        retryCount += 1;
      },
    );
    while (killed < KILL_COUNT) {
      const { rowCount } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND query LIKE '%commit_attributed_writes%' ORDER BY random() LIMIT 1`,
      );
      killed += rowCount ?? 0;
      // Lets the load make some round trips between two kills.
      for (let turn = 0; turn < 20 + (killed % 17); turn += 1) await admin.query('SELECT 1');
      if (killed % 5 > 0) continue;
      expect(await findAuditViolations(database)).toEqual(NO_VIOLATIONS);
    }
    const byWorkspace = await load;
    expect(retryCount).toBeGreaterThan(0);
    await expectAllRecorded(byWorkspace);
  });
});
