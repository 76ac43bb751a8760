import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@witan/testing';
import { Client } from 'pg';
import { advance, as, begin, openStage, watchAdvance } from './open-simulation.ts';
import type { Begun, TestSimulation, TestStage } from './open-simulation.ts';
import { runInChild } from './run-in-child.ts';
import type { Child } from './run-in-child.ts';
import { decisionOf } from './script-council.ts';

const LEVERS = { marketingPct: 14, priceChange: 1.5, headcountChange: 4 };
const LATER = { marketingPct: 1 };
const SEED = 4_242n;

describe('an advance whose process is killed', () => {
  let stage: TestStage;
  let service: TestSimulation;
  /** What comes of one turn that nobody disturbs. */
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

  /** Nobody writes into the table until the answer is called; everybody may read it. */
  const freeze = async (table: string): Promise<() => Promise<void>> => {
    const client = new Client({ connectionString: stage.databaseUrl });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`);
    return () => client.end();
  };
  const start = ({ workspaceId, simulationId }: Begun): Child => {
    const { databaseUrl } = stage;
    return runInChild({ do: 'advance', databaseUrl, workspaceId, simulationId, levers: LEVERS });
  };
  const isWaitingFor = (table: string) => async (): Promise<boolean> => {
    const waiting = await stage.query(
      `SELECT FROM pg_locks WHERE relation = '${table}'::regclass AND NOT granted
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return waiting.length > 0;
  };
  /** Starts a turn in another process and kills that when it wants to write into the table. */
  const killAt = async (table: string, begun: Begun): Promise<Child> => {
    const thaw = await freeze(table);
    const child = start(begun);
    try {
      await child.serves();
      await eventually(isWaitingFor(table));
    } finally {
      await child.kill();
      await thaw();
    }
    return child;
  };
  const askedFor = ({ simulationId }: Begun) =>
    stage.council.asked.filter(({ owner }) => owner === simulationId);
  const factsOf = async ({ workspaceId }: Begun): Promise<unknown[]> => {
    const sql = 'SELECT type FROM outbox WHERE workspace_id = $1 ORDER BY position';
    return (await stage.query(sql, [workspaceId])).map(({ type }) => type);
  };
  const currentTurn = async ({ workspaceId, simulationId }: Begun): Promise<number> => {
    const request = { simulationId };
    const { simulation } = await service.simulations.getSimulation(request, as(workspaceId));
    return simulation!.currentTurn;
  };

  it('between decision and step asks nobody twice, and comes out the same', async () => {
    const begun = await begin(service, { seed: SEED });
    const child = await killAt('state', begun);
    expect(child.said()).toHaveLength(1);
    expect(await currentTurn(begun)).toBe(0);
    expect(await factsOf(begun)).toEqual([]);
    // Whoever was asked now would say something else.
    stage.council.script(() => decisionOf(LATER));
    const { states, currentTurn: turn } = await advance(service, begun);
    expect(turn).toBe(1);
    expect(states.map(({ stateHash }) => stateHash)).toEqual([undisturbed]);
    expect(askedFor(begun)).toEqual([]);
    expect(await factsOf(begun)).toEqual(['simulation.tick.completed']);
  });

  it('before the decision is kept asks for the same panel, which is paid for once', async () => {
    const begun = await begin(service, { seed: SEED });
    const child = await killAt('council', begun);
    stage.council.script(() => decisionOf(LEVERS));
    const { states } = await advance(service, begun);
    expect(states[0]!.stateHash).toBe(undisturbed);
    expect(askedFor(begun).map(({ key }) => `held ${key}`)).toEqual(child.said());
    expect(await factsOf(begun)).toEqual(['simulation.tick.completed']);
  });

  it('before its fact is written makes no turn', async () => {
    const begun = await begin(service, { seed: SEED });
    await killAt('outbox', begun);
    expect(await currentTurn(begun)).toBe(0);
    const { states } = await advance(service, begun);
    expect(states[0]!.stateHash).toBe(undisturbed);
    expect(await factsOf(begun)).toEqual(['simulation.tick.completed']);
  });

  it('before the report is written leaves the turn, and the next call ends it', async () => {
    const begun = await begin(service, { seed: SEED, horizonTurns: 1 });
    await killAt('report', begun);
    expect(await currentTurn(begun)).toBe(1);
    expect(await factsOf(begun)).toEqual(['simulation.tick.completed']);
    const finalized = { fields: { code: 'simulation_finalized' } };
    await expect(watchAdvance(service, begun)).rejects.toMatchObject(finalized);
    const types = ['simulation.tick.completed', 'simulation.report.ready'];
    expect(await factsOf(begun)).toEqual(types);
    expect(askedFor(begun)).toEqual([]);
  });

  it('is replayed by yet another process', async () => {
    const begun = await begin(service, { seed: SEED });
    await killAt('state', begun);
    await advance(service, begun);
    await advance(service, begun);
    const { databaseUrl } = stage;
    const child = runInChild({ do: 'replay', databaseUrl, ...idsOf(begun), levers: {} });
    await child.done();
    expect(child.said()).toEqual(['matches true']);
  });
});

const idsOf = ({ workspaceId, simulationId }: Begun) => ({ workspaceId, simulationId });
