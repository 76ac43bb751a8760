import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@witan/service-kit';
import { certifyOne, makeDraft } from './drafts.ts';
import { openLedger, openLedgerFixture } from './open-ledger.ts';
import type { LedgerFixture, TestLedger } from './open-ledger.ts';
import { exportChain, verifiedIds, verifyNatively } from './read-chain.ts';

const IN_FLIGHT = 64;

const runLoad = async (
  ledgers: readonly TestLedger[],
  workspaceIds: readonly string[],
  count: number,
): Promise<Map<string, string[]>> => {
  const acknowledged = new Map(workspaceIds.map((id) => [id, [] as string[]]));
  let startedCount = 0;
  const worker = async (ledger: TestLedger): Promise<void> => {
    while (startedCount < count) {
      const workspaceId = workspaceIds[startedCount % workspaceIds.length]!;
      startedCount += 1;
      const draft = makeDraft();
      await certifyOne(ledger.writer, workspaceId, draft);
      acknowledged.get(workspaceId)!.push(draft.proofId);
    }
  };
  await Promise.all(
    ledgers.flatMap((ledger) => Array.from({ length: IN_FLIGHT }, () => worker(ledger))),
  );
  return acknowledged;
};

const readSample = async (ledger: TestLedger, name: string): Promise<number> => {
  const text = await (await fetch(`${ledger.service.adminUrl}/metrics`)).text();
  const line = text.split('\n').find((item) => item.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
};

describe('ledgers on one database', () => {
  let fixture: LedgerFixture;
  let ledgers: TestLedger[];
  beforeAll(async () => {
    fixture = await openLedgerFixture();
    const signingKeyFile = await fixture.newKeyFile();
    // The ledgers start concurrently: the first one migrates and puts the key in force, the others
    // wait.
    ledgers = await Promise.all(
      Array.from({ length: 4 }, () => openLedger(fixture, { signingKeyFile })),
    );
  });
  afterAll(async () => {
    for (const ledger of ledgers) await ledger[Symbol.asyncDispose]();
    await fixture[Symbol.asyncDispose]();
  });

  it.each([
    ['two ledgers, one chain', 2, 1],
    ['two ledgers, seven chains', 2, 7],
    ['four ledgers, seven chains', 4, 7],
  ])('write chains without gap or fork: %s', async (_name, replicas, chains) => {
    const workspaceIds = Array.from({ length: chains }, () => newId('ws'));
    const acknowledged = await runLoad(ledgers.slice(0, replicas), workspaceIds, 2_000);
    for (const [workspaceId, ids] of acknowledged) {
      const chain = verifyNatively(await exportChain(ledgers[0]!.certificates, workspaceId));
      expect(chain.toSorted()).toEqual(ids.toSorted());
    }
  });

  it('write a chain that libs/proof verifies: four ledgers, one chain', async () => {
    const workspaceId = newId('ws');
    const acknowledged = await runLoad(ledgers, [workspaceId], 2_000);
    const chain = await verifiedIds(ledgers[3]!.certificates, workspaceId);
    expect(chain.toSorted()).toEqual(acknowledged.get(workspaceId)!.toSorted());
  });

  it('commit many writes together', async () => {
    const [ledger] = ledgers;
    const read = (suffix: string) => readSample(ledger!, `ledger_commit_writes_${suffix}`);
    const before = { commits: await read('count'), writes: await read('sum') };
    await runLoad([ledger!], [newId('ws')], 1_000);
    const commits = (await read('count')) - before.commits;
    const writes = (await read('sum')) - before.writes;
    expect(writes).toBeGreaterThanOrEqual(2_000);
    // Up to 64 calls are pending at a time, and each commit takes the writes that arrived during
    // the previous one.
    expect(writes / commits).toBeGreaterThan(8);
  });
});
