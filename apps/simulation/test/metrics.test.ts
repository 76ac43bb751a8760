import { describe, expect, it } from '@jest/globals';
import {
  advance,
  optionsFor,
  createTestSimulation,
  finalize,
  openEnvironment,
} from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const MARKET = JSON.stringify({
  marketSize: 'A small market of hobbyists.',
  trends: [],
  competitors: [],
});

describe('the metrics of the simulation service', () => {
  it('count turns, decisions and rejections', async () => {
    await using environment = await openEnvironment();
    await using service = await environment.start();
    const { simulations, markets } = service;
    environment.council.script(({ key }) =>
      decisionOf(key.includes(':1:') ? { marketingPct: 99 } : {}),
    );
    const created = await createTestSimulation(service);
    const { workspaceId, simulationId } = created;
    await advance(service, created);
    await advance(service, created);
    await simulations.replay({ simulationId }, optionsFor(workspaceId));
    await environment.query(`UPDATE state SET state_hash = 'another' WHERE turn = 2`);
    await simulations.replay({ simulationId }, optionsFor(workspaceId));
    await simulations.forecast({ simulationId, runs: 10 }, optionsFor(workspaceId));
    const prose = { summary: 'It grew by 900 %.', risks: ['One.'], recommendations: ['Wait.'] };
    environment.writer.write('no JSON', JSON.stringify(prose));
    await finalize(service, created);
    environment.writer.write(MARKET);
    for await (const _ of markets.analyzeMarket({ query: 'Otters?' }, optionsFor(workspaceId)));
    const text = await (await fetch(`${service.adminUrl}/metrics`)).text();
    const samples = text
      .split('\n')
      .filter((line) => /^simulation_\w+(?:_total|_count)\b/.test(line))
      .toSorted();
    expect(samples).toEqual([
      'simulation_clamps_total{reason="bounds"} 1',
      'simulation_compute_seconds_count{what="forecast"} 1',
      'simulation_compute_seconds_count{what="replay"} 2',
      'simulation_market_analyses_total{depth="standard",calls="2"} 1',
      'simulation_market_analysis_seconds_count{depth="standard"} 1',
      'simulation_prose_rejected_total{why="form"} 1',
      'simulation_prose_rejected_total{why="numbers"} 1',
      'simulation_replays_total{outcome="different"} 1',
      'simulation_replays_total{outcome="same"} 1',
      'simulation_reports_total{writer="rules"} 1',
      'simulation_steps_total{decided="council"} 1',
      'simulation_steps_total{decided="nobody"} 1',
      'simulation_turn_seconds_count 2',
      'simulation_turns_total 2',
    ]);
  });
});
