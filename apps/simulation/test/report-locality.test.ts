import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import { advance, createTestSimulation, finalize, openEnvironment } from './open-simulation.ts';
import type { TestSimulation, TestEnvironment } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const NO_AGENTS = new ServiceError('CONFLICT', 'Nobody.', { fields: { code: 'no_agents' } });
const PROSE = { summary: 'The company kept going.', risks: ['Cash.'], recommendations: ['Save.'] };

describe('a local-only panel', () => {
  let environment: TestEnvironment;
  let service: TestSimulation;

  beforeAll(async () => {
    environment = await openEnvironment();
    service = await environment.start();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await environment[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    environment.writer.requests.length = 0;
    environment.writer.write(JSON.stringify(PROSE));
  });

  const report = async (panels: readonly (boolean | undefined)[]) => {
    environment.council.script(({ key }) => ({
      ...decisionOf({ marketingPct: 12 }),
      staysLocal: panels[Number(key.split(':')[1]) - 1],
    }));
    const created = await createTestSimulation(service);
    for (const _panel of panels) await advance(service, created);
    const { fromTemplate } = await finalize(service, created);
    const kinds = environment.writer.requests.map(({ address }) => address?.kind);
    return { fromTemplate, kinds };
  };

  it.each<[string, (boolean | undefined)[], string]>([
    ['without one, the router chooses the model of the report', [false, false], 'service-auto'],
    ['makes the local runtime write the report', [true, false], 'service-sensitive'],
    ['is assumed if the locality is unknown', [false, undefined], 'service-sensitive'],
  ])('%s', async (_name, panels, kind) => {
    expect(await report(panels)).toEqual({ fromTemplate: false, kinds: [kind] });
  });

  it('makes all later panels local-only', async () => {
    const before = environment.council.panels.length;
    await report([false, true, false]);
    const requests = environment.council.panels.slice(before).map(({ staysLocal }) => staysLocal);
    expect(requests).toEqual([false, false, true]);
  });

  it('makes later panels local-only even after a turn without a decision', async () => {
    const before = environment.council.panels.length;
    environment.council.script(({ key }) => {
      if (key.split(':')[1] === '2') throw NO_AGENTS;
      return { ...decisionOf({ marketingPct: 12 }), staysLocal: key.split(':')[1] === '1' };
    });
    const created = await createTestSimulation(service);
    for (let turn = 1; turn <= 3; turn += 1) await advance(service, created);
    const requests = environment.council.panels.slice(before).map(({ staysLocal }) => staysLocal);
    expect(requests).toEqual([false, true, true]);
  });

  it('makes the local runtime retry a rejected answer, too', async () => {
    environment.writer.write('no report', JSON.stringify(PROSE));
    const kinds = ['service-sensitive', 'service-sensitive'];
    expect(await report([true])).toEqual({ fromTemplate: false, kinds });
  });

  it('makes rules write the report without a local runtime', async () => {
    environment.writer.write(new ServiceError('LOCAL_RUNTIME_UNAVAILABLE', 'There is none.'));
    expect(await report([true])).toEqual({ fromTemplate: true, kinds: ['service-sensitive'] });
  });
});
