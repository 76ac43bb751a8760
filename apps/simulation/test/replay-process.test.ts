import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { advance, optionsFor, createTestSimulation, openEnvironment } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const MAIN = fileURLToPath(new URL('replay-main.ts', import.meta.url));

describe('a replay in another process', () => {
  it('reproduces the hash of every state', async () => {
    await using environment = await openEnvironment();
    await using service = await environment.start();
    environment.council.script(({ key }) =>
      decisionOf({ marketingPct: Number(key.split(':')[1]) * 7, headcountChange: 4 }),
    );
    const created = await createTestSimulation(service, { turnUnit: 'year' });
    const { workspaceId, simulationId } = created;
    for (const parameters of ['{"gdpGrowth":-3}', '{"rng":"independent"}']) {
      const scenario = { simulationId, name: 'A', parameters };
      await service.simulations.addScenario(scenario, optionsFor(workspaceId));
    }
    for (let turn = 0; turn < 3; turn += 1) await advance(service, created);
    const task = JSON.stringify({
      databaseUrl: environment.databaseUrl,
      workspaceId,
      simulationId,
    });
    const child = spawn(process.execPath, [MAIN, task], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await once(child, 'close');
    expect([child.exitCode, output]).toEqual([0, '{"matches":true,"turns":3,"mismatches":[]}']);
  });
});
