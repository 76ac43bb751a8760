import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import {
  advance,
  optionsFor,
  createTestSimulation,
  openEnvironment,
  advanceWithEvents,
} from './open-simulation.ts';
import type { CreatedSimulation, TestSimulation, TestEnvironment } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const LEVERS = { marketingPct: 14, priceChange: 1.5, headcountChange: 4 };
const SEED = 4_242n;
const FINALIZED = { fields: { code: 'simulation_finalized' } };
const TICK_EVENT = 'simulation.tick.completed';

describe('an interrupted advance', () => {
  let environment: TestEnvironment;
  let service: TestSimulation;
  let uninterruptedHash: string;
  beforeAll(async () => {
    environment = await openEnvironment();
    service = await environment.start();
    environment.council.script(() => decisionOf(LEVERS));
    const created = await createTestSimulation(service, { seed: SEED });
    uninterruptedHash = (await advance(service, created)).states[0]!.stateHash;
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await environment[Symbol.asyncDispose]();
  });

  const findWaiting = (table: string): Promise<Record<string, unknown>[]> =>
    environment.query(
      `SELECT pid FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
  const interruptAt = async (
    table: string,
    created: CreatedSimulation,
  ): Promise<'done' | 'cut'> => {
    const client = new Client({ connectionString: environment.databaseUrl });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    const advanceEnd = advanceWithEvents(service, created).then(
      () => 'done' as const,
      () => 'cut' as const,
    );
    try {
      await eventually(async () => (await findWaiting(table)).length > 0);
      for (const { pid } of await findWaiting(table)) {
        await environment.query('SELECT pg_terminate_backend($1)', [pid]);
      }
      return await advanceEnd;
    } finally {
      await client.end();
    }
  };
  const panelsOf = ({ simulationId }: CreatedSimulation) =>
    environment.council.panels.filter(({ owner }) => owner === simulationId);
  const readStored = async ({ workspaceId, simulationId }: CreatedSimulation) => {
    const sql = 'SELECT type FROM outbox WHERE workspace_id = $1 ORDER BY position';
    const events = (await environment.query(sql, [workspaceId])).map(({ type }) => type);
    const found = await service.simulations.getSimulation(
      { simulationId },
      optionsFor(workspaceId),
    );
    return { turn: found.simulation!.currentTurn, states: found.states.length, events };
  };

  it.each([
    ['before the scenario is stored', 'scenario', 0],
    ['before the verdict is stored', 'council', 1],
    ['before the state is stored', 'state', 1],
    ['before the event is stored', 'outbox', 1],
  ])(
    'stores no turn if cut %s, and the next call has the same result',
    async (_, table, panelCount) => {
      const created = await createTestSimulation(service, { seed: SEED });
      expect(await interruptAt(table, created)).toBe('cut');
      expect(await readStored(created)).toEqual({ turn: 0, states: 0, events: [] });
      expect(panelsOf(created)).toHaveLength(panelCount);
      const { states } = await advance(service, created);
      expect(states.map(({ stateHash }) => stateHash)).toEqual([uninterruptedHash]);
      expect(panelsOf(created)).toHaveLength(1);
      expect(await readStored(created)).toEqual({ turn: 1, states: 1, events: [TICK_EVENT] });
    },
  );

  it('does not ask a panel again if its verdict was stored', async () => {
    const created = await createTestSimulation(service, { seed: SEED });
    await interruptAt('state', created);
    const requestCount = environment.council.requests.length;
    await advance(service, created);
    expect(environment.council.requests).toHaveLength(requestCount);
  });

  it('retains the turn if its report was not written, and the next call writes it', async () => {
    const created = await createTestSimulation(service, { seed: SEED, horizonTurns: 1 });
    expect(await interruptAt('report', created)).toBe('done');
    expect(await readStored(created)).toEqual({ turn: 1, states: 1, events: [TICK_EVENT] });
    await expect(advanceWithEvents(service, created)).rejects.toMatchObject(FINALIZED);
    const events = [TICK_EVENT, 'simulation.report.ready'];
    expect(await readStored(created)).toEqual({ turn: 1, states: 1, events });
  });

  it('is resumed after the lease of a killed process expires', async () => {
    const created = await createTestSimulation(service, { seed: SEED });
    await environment.query(
      `UPDATE simulation SET lease = 'dead', lease_until = clock_timestamp() + interval '300 ms'
       WHERE id = $1`,
      [created.simulationId],
    );
    const waiting = advance(service, created);
    expect((await readStored(created)).turn).toBe(0);
    expect((await waiting).states[0]!.stateHash).toBe(uninterruptedHash);
  });
});
