import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fromBinary } from '@bufbuild/protobuf';
import { OFFLINE_MODEL, ServiceError, SimulationReportReadySchema } from '@witan/contracts';
import type { Report } from '@witan/contracts';
import { newId } from '@witan/service-kit';
import { findNumberErrors } from '../src/report/number-lock/find-number-errors.ts';
import type { ReportFigure } from '../src/report/create-format-number.ts';
import {
  advance,
  optionsFor,
  createTestSimulation,
  finalize,
  openEnvironment,
} from './open-simulation.ts';
import type { CreatedSimulation, TestSimulation, TestEnvironment } from './open-simulation.ts';
import { decisionOf } from './script-council.ts';

const PROSE_WITHOUT_NUMBERS = {
  summary: 'The company kept going and learned what its market is.',
  risks: ['Cash is finite.'],
  recommendations: ['Watch what is spent every month.'],
};

type ReportFacts = { facts: ReportFigure[]; scenarios: { name: string }[]; turns: number };

describe('the report of a simulation', () => {
  let environment: TestEnvironment;
  let service: TestSimulation;
  beforeAll(async () => {
    environment = await openEnvironment();
    service = await environment.start();
    environment.council.script(({ key }) => {
      const turn = Number(key.split(':')[1]);
      return decisionOf({ marketingPct: 10 + turn * 3, priceChange: turn === 2 ? 4 : 0 });
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await environment[Symbol.asyncDispose]();
  });
  beforeEach(() => environment.writer.write(JSON.stringify(PROSE_WITHOUT_NUMBERS)));

  const play = async (turns = 3): Promise<CreatedSimulation> => {
    const created = await createTestSimulation(service);
    const { workspaceId, simulationId } = created;
    for (const [name, gdpGrowth] of [
      ['Baseline', 2],
      ['Recession 2026', -5],
    ] as const) {
      const parameters = JSON.stringify({ gdpGrowth });
      await service.simulations.addScenario(
        { simulationId, name, parameters },
        optionsFor(workspaceId),
      );
    }
    for (let turn = 0; turn < turns; turn += 1) await advance(service, created);
    return created;
  };
  const getReport = ({ workspaceId, simulationId }: CreatedSimulation) =>
    service.simulations.getReport({ simulationId }, optionsFor(workspaceId));
  const readyEvents = async ({ workspaceId }: CreatedSimulation) => {
    const sql = `SELECT payload FROM outbox
      WHERE workspace_id = $1 AND type = 'simulation.report.ready'`;
    const rows = await environment.query(sql, [workspaceId]);
    return rows.map(({ payload }) =>
      fromBinary(SimulationReportReadySchema, payload as Uint8Array),
    );
  };
  const parseFacts = ({ facts }: Report): ReportFacts => JSON.parse(facts) as ReportFacts;
  const proseOf = ({ summary, risks, recommendations }: Report): string[] => [
    summary,
    ...risks,
    ...recommendations,
  ];
  const unmatchedNumbers = (report: Report): string[] => {
    const { facts, scenarios, turns } = parseFacts(report);
    const allTurns = Array.from({ length: turns }, (_, index) => ({
      ...{ scenario: '', label: 'a turn', unit: 'turn' as const },
      ...{ value: index + 1, text: '' },
    }));
    const lock = {
      figures: [...facts, ...allTurns].map((figure) => ({ ...figure, isChange: false })),
      names: ['Acme', ...scenarios.map(({ name }) => name)],
      language: 'en' as const,
    };
    return proseOf(report).flatMap((text) => findNumberErrors(text, lock).map((item) => item.text));
  };

  it('is stored once by finalize, with one event', async () => {
    const created = await play();
    await expect(getReport(created)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const report = await finalize(service, created);
    environment.writer.write(JSON.stringify({ ...PROSE_WITHOUT_NUMBERS, summary: 'Another.' }));
    const calls = environment.writer.requests.length;
    const repeated = await Promise.all([1, 2, 3].map(() => finalize(service, created)));
    for (const item of repeated) expect(item).toEqual(report);
    expect((await getReport(created)).report).toEqual(report);
    expect(environment.writer.requests).toHaveLength(calls);
    const { simulationId } = created;
    expect(await readyEvents(created)).toMatchObject([
      { simulationId, name: 'Acme', turnsCompleted: 3 },
    ]);
    expect(report).toMatchObject({ ...PROSE_WITHOUT_NUMBERS, fromTemplate: false });
  });

  it('is written once by concurrent calls', async () => {
    const created = await play(1);
    const calls = environment.writer.requests.length;
    const reports = await Promise.all([1, 2, 3].map(() => finalize(service, created)));
    for (const report of reports) expect(report).toEqual(reports[0]);
    expect(environment.writer.requests).toHaveLength(calls + 1);
    expect(await readyEvents(created)).toHaveLength(1);
  });

  it('is refused at turn 0 and for unknown simulations', async () => {
    const created = await createTestSimulation(service);
    const nothingToReport = { reason: 'CONFLICT', fields: { code: 'nothing_to_report' } };
    await expect(finalize(service, created)).rejects.toMatchObject(nothingToReport);
    const otherWorkspace = { ...created, workspaceId: newId('ws') };
    await expect(finalize(service, otherWorkspace)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  });

  it('allows only reading, replaying and deleting afterwards', async () => {
    const created = await play(1);
    await finalize(service, created);
    const { workspaceId, simulationId } = created;
    const finalizedError = { reason: 'CONFLICT', fields: { code: 'simulation_finalized' } };
    const { simulations } = service;
    const { simulation, scenarios } = await simulations.getSimulation(
      { simulationId },
      optionsFor(workspaceId),
    );
    expect(simulation!.status).toBe('finalized');
    await expect(advance(service, created)).rejects.toMatchObject(finalizedError);
    const pendingScenario = simulations.addScenario(
      { simulationId, name: 'Late' },
      optionsFor(workspaceId),
    );
    await expect(pendingScenario).rejects.toMatchObject(finalizedError);
    const change = { simulationId, scenarioId: scenarios[0]!.id, isActive: false };
    const updated = simulations.updateScenario(change, optionsFor(workspaceId));
    await expect(updated).rejects.toMatchObject(finalizedError);
    const { matches } = await simulations.replay({ simulationId }, optionsFor(workspaceId));
    expect(matches).toBe(true);
    await simulations.deleteSimulation({ simulationId }, optionsFor(workspaceId));
  });

  it('is written by the advance that reaches the horizon', async () => {
    const created = await createTestSimulation(service, { horizonTurns: 2 });
    expect((await advance(service, created)).finalized).toBe(false);
    expect((await advance(service, created)).finalized).toBe(true);
    expect((await getReport(created)).report).toMatchObject(PROSE_WITHOUT_NUMBERS);
    expect(await readyEvents(created)).toMatchObject([{ turnsCompleted: 2 }]);
    const finalizedError = { fields: { code: 'simulation_finalized' } };
    await expect(advance(service, created)).rejects.toMatchObject(finalizedError);
  });

  it('is certified as delivered', async () => {
    const created = await play(1);
    const report = await finalize(service, created);
    const { summary, keyDecisions, risks, recommendations } = report;
    expect(environment.writer.delivered.at(-1)).toBe(
      JSON.stringify({ summary, keyDecisions, risks, recommendations }),
    );
    const { proofId, purpose, requestSha256 } = environment.writer.requests.at(-1)!;
    expect(report.proofIds).toEqual([proofId]);
    expect({ purpose, requestSha256 }).toEqual({
      purpose: 'simulation',
      requestSha256: 'b'.repeat(64),
    });
  });

  it('accepts prose with rounded figures', async () => {
    const created = await play();
    const { facts } = parseFacts(await finalize(service, await play()));
    const revenue = facts.find(({ label }) => label === 'revenue per year at the end')!;
    const cash = facts.find(({ label }) => label === 'cash at the end')!;
    const summary = `After 3 turns of Recession 2026 ${revenue.text} came in, cash $${cash.value}.`;
    environment.writer.write(JSON.stringify({ ...PROSE_WITHOUT_NUMBERS, summary }));
    expect(await finalize(service, created)).toMatchObject({ summary, fromTemplate: false });
  });

  it('contains no move that was not made, and names it as the reason', async () => {
    const created = await play(1);
    const summary = 'Headcount was cut sharply in turn 1.';
    environment.writer.write(JSON.stringify({ ...PROSE_WITHOUT_NUMBERS, summary }));
    expect(await finalize(service, created)).toMatchObject({
      fromTemplate: true,
      templateReason: 'figures',
    });
  });

  it('repeats no line of the fact table as a risk', async () => {
    const created = await play(1);
    const risks = ['turns played: 1 turn'];
    environment.writer.write(JSON.stringify({ ...PROSE_WITHOUT_NUMBERS, risks }));
    const report = await finalize(service, created);
    expect(report).toMatchObject({ fromTemplate: true, templateReason: 'figures' });
    const recommendations = report.summary.split('\n\n', 1);
    environment.writer.write(JSON.stringify({ ...PROSE_WITHOUT_NUMBERS, recommendations }));
    const copied = await finalize(service, await play(1));
    expect(copied).toMatchObject({ fromTemplate: true, templateReason: 'figures' });
  });

  it.each([
    ['in digits', 'Revenue grew 900 % in a single turn.'],
    ['in words', 'Revenue grew nine hundred percent.'],
    ['as a multiple', 'Revenue is up 9x.'],
    ['in another script', 'Revenue grew ９００％.'],
    ['in a foreign language', 'Der Umsatz wuchs um neunhundert Prozent.'],
    ['with invisible characters', 'Revenue grew 9\u200b0\u200b0 %.'],
  ])('contains no invented number: %s', async (_, summary) => {
    const created = await play(1);
    environment.writer.write(JSON.stringify({ ...PROSE_WITHOUT_NUMBERS, summary }));
    const calls = environment.writer.requests.length;
    const report = await finalize(service, created);
    expect(report).toMatchObject({ fromTemplate: true, templateReason: 'numbers' });
    expect(proseOf(report).join(' ')).not.toMatch(/900|nine hundred|9x|neunhundert/i);
    expect(unmatchedNumbers(report)).toEqual([]);
    expect(environment.writer.requests).toHaveLength(calls + 2);
    expect(environment.writer.delivered.slice(-2)).toEqual(['', '']);
    expect(report.proofIds).toHaveLength(2);
  });

  it.each(['risks', 'recommendations'])('checks %s like the summary', async (part) => {
    const created = await play(1);
    const invented = { ...PROSE_WITHOUT_NUMBERS, [part]: ['Revenue may fall by 87 %.'] };
    environment.writer.write(JSON.stringify(invented), JSON.stringify(PROSE_WITHOUT_NUMBERS));
    const report = await finalize(service, created);
    expect(report).toMatchObject({ ...PROSE_WITHOUT_NUMBERS, fromTemplate: false });
    const { input } = environment.writer.requests.at(-1)!;
    const { turns } = input.value as { turns: unknown[] };
    expect(JSON.stringify(turns.at(-1))).toContain('87 %');
  });

  it.each([
    ['prose', 'I would rather not.'],
    ['a list', '[]'],
    ['other JSON', '{"answer": 42}'],
    ['empty lists', JSON.stringify({ ...PROSE_WITHOUT_NUMBERS, risks: [] })],
  ])('is written by rules if the model answers with %s', async (_, answer) => {
    environment.writer.write(answer);
    const created = await play(2);
    const report = await finalize(service, created);
    expect(report).toMatchObject({ fromTemplate: true, templateReason: 'form' });
    expect(unmatchedNumbers(report)).toEqual([]);
    expect(report.summary).toContain('Recession 2026');
    expect(report.risks.length).toBeGreaterThan(0);
    expect(report.recommendations.length).toBeGreaterThan(0);
  });

  it('says that no provider is configured, whatever the offline provider wrote', async () => {
    const created = await play(1);
    const calls = environment.writer.requests.length;
    environment.writer.answerAs(OFFLINE_MODEL);
    const report = await finalize(service, created);
    environment.writer.answerAs('m');
    expect(report).toMatchObject({ fromTemplate: true, templateReason: 'no_provider' });
    expect(report.summary).toMatch(/^Rules wrote this report without a model, because no provider/);
    expect(environment.writer.requests).toHaveLength(calls + 1);
    expect(unmatchedNumbers(report)).toEqual([]);
  });

  it('is written by rules if no model is available, but not for retryable errors', async () => {
    const created = await play(1);
    for (const reason of ['INSUFFICIENT_QUOTA', 'UNAVAILABLE', 'LEDGER_UNAVAILABLE'] as const) {
      environment.writer.write(new ServiceError(reason, 'Not now.'));
      await expect(finalize(service, created)).rejects.toMatchObject({ reason });
    }
    environment.writer.write(new ServiceError('PROVIDER_UNREACHABLE', 'Nobody there.'));
    const failed = { fromTemplate: true, templateReason: 'unavailable', proofIds: [] };
    expect(await finalize(service, created)).toMatchObject(failed);
  });

  describe('in German', () => {
    const name = 'Bäckerei Sommer';
    const GERMAN = {
      summary: 'Das Unternehmen hielt sich gut.',
      risks: ['Die Kasse ist endlich.'],
      recommendations: ['Auf die Ausgaben achten.'],
    };
    const playGerman = async (): Promise<CreatedSimulation> => {
      const created = await createTestSimulation(service, { name });
      await advance(service, created);
      return created;
    };

    it('is requested in German, with German number formats', async () => {
      const written = GERMAN.summary;
      environment.writer.write(JSON.stringify(GERMAN));
      const report = await finalize(service, await playGerman());
      expect(report).toMatchObject({ summary: written, fromTemplate: false });
      const { input } = environment.writer.requests.at(-1)!;
      const { system } = input.value as { system: { text: string }[] };
      expect(system[0]!.text).toContain('Write plain German prose');
      expect(JSON.parse(report.facts)).toMatchObject({ language: 'de' });
      expect(report.keyDecisions.join(' ')).toMatch(/Runde 1: Entscheidung/);
      const { facts } = parseFacts(report);
      expect(facts.find(({ label }) => label === 'cash at the start')!.text).toBe('1,5 Millionen');
    });

    it('accepts figures in German notation', async () => {
      const summary = 'Die Kasse begann mit 1,5 Mio. Euro; nach Runde 1 sind es 24 Mitarbeiter.';
      environment.writer.write(JSON.stringify({ ...GERMAN, summary }));
      const report = await finalize(service, await playGerman());
      expect(report).toMatchObject({ summary, fromTemplate: false });
    });

    it.each([
      'Der Umsatz wuchs um neunhundert Prozent.',
      'Der Umsatz verdoppelte sich.',
      'Der Umsatz liegt bei 1,5 Milliarden.',
      'Die Hälfte der Kunden ging.',
      'Revenue grew nine hundred percent.',
    ])('contains no invented number: %s', async (summary) => {
      environment.writer.write(JSON.stringify({ ...GERMAN, summary }));
      const report = await finalize(service, await playGerman());
      expect(report.fromTemplate).toBe(true);
      expect(report.summary).toMatch(/^Das Unternehmen wurde über 1 Runde/);
    });
  });

  it('gives the model the paused scenarios and the compared time', async () => {
    const created = await play(1);
    const { workspaceId, simulationId } = created;
    const { scenarios } = await service.simulations.getSimulation(
      { simulationId },
      optionsFor(workspaceId),
    );
    const scenarioId = scenarios.find(({ name }) => name === 'Recession 2026')!.id;
    const setActive = (isActive: boolean) =>
      service.simulations.updateScenario(
        { simulationId, scenarioId, isActive },
        optionsFor(workspaceId),
      );
    await setActive(false);
    await advance(service, created);
    await setActive(true);
    await advance(service, created);
    const report = await finalize(service, created);
    expect(JSON.parse(report.facts)).toMatchObject({
      comparedAfterTurns: 2,
      scenarios: [{ pausedTurns: [] }, { turns: 2, pausedTurns: [2] }],
    });
    const { input } = environment.writer.requests.at(-1)!;
    const { turns } = input.value as { turns: unknown[] };
    expect(JSON.stringify(turns)).toContain('was paused in turn 2, and so played 2 turns');
    expect(JSON.stringify(turns)).toContain('turns after which scenarios are compared: 2 turns');
  });

  it('lists key decisions', async () => {
    const created = await play(3);
    const report = await finalize(service, created);
    expect(report.keyDecisions.length).toBeGreaterThan(1);
    expect(report.keyDecisions.join('\n')).toMatch(/turn \d: .*(marketing|prices)/);
    // Both scenarios made the same decision, which must be described only once.
    const moves = report.keyDecisions.map(
      (keyDecision) => /turn \d: .*? Without/.exec(keyDecision)![0],
    );
    expect(moves).toEqual([...new Set(moves)]);
    const { decisions } = JSON.parse(report.facts) as {
      decisions: { added: { worth: number } }[];
    };
    const sizes = decisions.map(({ added }) => Math.abs(added.worth));
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  });
});
