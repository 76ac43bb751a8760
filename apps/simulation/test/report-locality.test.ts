import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ServiceError } from '@witan/contracts';
import { advance, begin, finalize, openStage } from './open-simulation.ts';
import type { TestSimulation, TestStage } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const NO_AGENTS = new ServiceError('CONFLICT', 'Nobody.', { fields: { code: 'no_agents' } });
const PROSE = { summary: 'The company kept going.', risks: ['Cash.'], recommendations: ['Save.'] };

describe('the writer of a report', () => {
  let stage: TestStage;
  let service: TestSimulation;

  beforeAll(async () => {
    stage = await openStage();
    service = await stage.start();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    stage.writer.requests.length = 0;
    stage.writer.write(JSON.stringify(PROSE));
  });

  const report = async (panels: readonly (boolean | undefined)[]) => {
    stage.council.script(({ key }) => ({
      ...decisionOf({ marketingPct: 12 }),
      staysLocal: panels[Number(key.split(':')[1]) - 1],
    }));
    const begun = await begin(service);
    for (const _panel of panels) await advance(service, begun);
    const { fromTemplate } = await finalize(service, begun);
    const kinds = stage.writer.requests.map(({ address }) => address?.kind);
    return { fromTemplate, kinds };
  };

  it.each<[string, (boolean | undefined)[], string]>([
    ['the router chooses when no panel stayed', [false, false], 'service-auto'],
    ['the local runtime when one panel stayed', [true, false], 'service-sensitive'],
    ['the local runtime when it is not known', [false, undefined], 'service-sensitive'],
  ])('%s', async (_name, panels, kind) => {
    expect(await report(panels)).toEqual({ fromTemplate: false, kinds: [kind] });
  });

  it('is local if any panel was local-only', async () => {
    const before = stage.council.held.length;
    await report([false, true, false]);
    const asked = stage.council.held.slice(before).map(({ staysLocal }) => staysLocal);
    expect(asked).toEqual([false, false, true]);
  });

  it('is local even if a turn without a decision followed', async () => {
    const before = stage.council.held.length;
    stage.council.script(({ key }) => {
      if (key.split(':')[1] === '2') throw NO_AGENTS;
      return { ...decisionOf({ marketingPct: 12 }), staysLocal: key.split(':')[1] === '1' };
    });
    const begun = await begin(service);
    for (let turn = 1; turn <= 3; turn += 1) await advance(service, begun);
    const asked = stage.council.held.slice(before).map(({ staysLocal }) => staysLocal);
    expect(asked).toEqual([false, true, true]);
  });

  it('is the local runtime for the retry of a rejected answer, too', async () => {
    stage.writer.write('no report', JSON.stringify(PROSE));
    const kinds = ['service-sensitive', 'service-sensitive'];
    expect(await report([true])).toEqual({ fromTemplate: false, kinds });
  });

  it('is the template without a local runtime', async () => {
    stage.writer.write(new ServiceError('LOCAL_RUNTIME_UNAVAILABLE', 'There is none.'));
    expect(await report([true])).toEqual({ fromTemplate: true, kinds: ['service-sensitive'] });
  });
});
