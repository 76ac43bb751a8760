import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { advance, as, begin, openStage, advanceWithEvents } from './open-simulation.ts';
import type { Begun, TestSimulation, TestStage } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const LEVERS = { marketingPct: 14, priceChange: 1.5, headcountChange: 4 };
const SEED = 4_242n;
const FINALIZED = { fields: { code: 'simulation_finalized' } };
const TICK = 'simulation.tick.completed';

describe('an interrupted advance', () => {
  let stage: TestStage;
  let service: TestSimulation;
  let undisturbed: string;
  beforeAll(async () => {
    stage = await openStage();
    service = await stage.start();
    stage.council.script(() => decisionOf(LEVERS));
    const begun = await begin(service, { seed: SEED });
    undisturbed = (await advance(service, begun)).states[0]!.stateHash;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  });

  const findWaiting = (table: string): Promise<Record<string, unknown>[]> =>
    stage.query(
      `SELECT pid FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
  const cutAt = async (table: string, begun: Begun): Promise<'done' | 'cut'> => {
    const client = new Client({ connectionString: stage.databaseUrl });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    const ended = advanceWithEvents(service, begun).then(
      () => 'done' as const,
      () => 'cut' as const,
    );
    try {
      await eventually(async () => (await findWaiting(table)).length > 0);
      for (const { pid } of await findWaiting(table)) {
        await stage.query('SELECT pg_terminate_backend($1)', [pid]);
      }
      return await ended;
    } finally {
      await client.end();
    }
  };
  const panelsOf = ({ simulationId }: Begun) =>
    stage.council.held.filter(({ owner }) => owner === simulationId);
  const readStored = async ({ workspaceId, simulationId }: Begun) => {
    const sql = 'SELECT type FROM outbox WHERE workspace_id = $1 ORDER BY position';
    const events = (await stage.query(sql, [workspaceId])).map(({ type }) => type);
    const found = await service.simulations.getSimulation({ simulationId }, as(workspaceId));
    return { turn: found.simulation!.currentTurn, states: found.states.length, events };
  };

  it.each([
    ['without a scenario', 'scenario', 0],
    ['before the verdict is stored', 'council', 1],
    ['between decision and step', 'state', 1],
    ['before its fact is written', 'outbox', 1],
  ])('%s stores no turn, and the next call has the same result', async (_, table, held) => {
    const begun = await begin(service, { seed: SEED });
    expect(await cutAt(table, begun)).toBe('cut');
    expect(await readStored(begun)).toEqual({ turn: 0, states: 0, events: [] });
    expect(panelsOf(begun)).toHaveLength(held);
    const { states } = await advance(service, begun);
    expect(states.map(({ stateHash }) => stateHash)).toEqual([undisturbed]);
    expect(panelsOf(begun)).toHaveLength(1);
    expect(await readStored(begun)).toEqual({ turn: 1, states: 1, events: [TICK] });
  });

  it('does not ask a panel again if its verdict was stored', async () => {
    const begun = await begin(service, { seed: SEED });
    await cutAt('state', begun);
    const asked = stage.council.asked.length;
    await advance(service, begun);
    expect(stage.council.asked).toHaveLength(asked);
  });

  it('retains the turn if its report was not written, and the next call writes it', async () => {
    const begun = await begin(service, { seed: SEED, horizonTurns: 1 });
    expect(await cutAt('report', begun)).toBe('done');
    expect(await readStored(begun)).toEqual({ turn: 1, states: 1, events: [TICK] });
    await expect(advanceWithEvents(service, begun)).rejects.toMatchObject(FINALIZED);
    const events = [TICK, 'simulation.report.ready'];
    expect(await readStored(begun)).toEqual({ turn: 1, states: 1, events });
  });

  it('is resumed after the lease of a killed process expires', async () => {
    const begun = await begin(service, { seed: SEED });
    await stage.query(
      `UPDATE simulation SET lease = 'dead', lease_until = clock_timestamp() + interval '300 ms'
       WHERE id = $1`,
      [begun.simulationId],
    );
    const waiting = advance(service, begun);
    expect((await readStored(begun)).turn).toBe(0);
    expect((await waiting).states[0]!.stateHash).toBe(undisturbed);
  });
});
