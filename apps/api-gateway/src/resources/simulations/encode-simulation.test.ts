import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import {
  ForecastResponseSchema,
  ReplayResponseSchema,
  ReportSchema,
  ScenarioSchema,
  SimulationSchema,
  StateSchema,
} from '@witan/contracts';
import { CREATED, EXACT, SCENARIO, SIMULATION, STATE } from '../../../test/simulation-messages.ts';
import { encodeAs } from '../../http/encode.ts';
import { readObjectText } from '../../http/encode.ts';
import { FORECAST, REPLAY } from './forecast-schema.ts';
import { SCENARIO as SCENARIO_SCHEMA } from './scenario-schema.ts';
import { CREATED_SIMULATION, REPORT, STATES } from './simulation-schema.ts';
import { toForecast, toReplay, withHorizon } from './simulations.ts';
import { SCENARIO_ID, SIMULATION_ID } from '../resource-id.ts';

const show = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const encodeSimulation = (init: typeof SIMULATION) =>
  encodeAs(CREATED_SIMULATION, { simulation: withHorizon(create(SimulationSchema, init)) })
    .simulation;
const encodeScenario = (init: typeof SCENARIO) =>
  encodeAs(SCENARIO_SCHEMA, { scenario: create(ScenarioSchema, init) }).scenario;

describe('a simulation', () => {
  it('preserves every digit of the company base', () => {
    const encoded = encodeSimulation(SIMULATION);
    expect(JSON.stringify(encoded.companyBase)).toBe(EXACT);
    expect(show(encoded)).toEqual({
      id: 'sim_1',
      name: 'North',
      description: null,
      turnUnit: 'quarter',
      currentTurn: 2,
      status: 'active',
      horizonTurns: null,
      seed: Number.MAX_SAFE_INTEGER,
      companyBase: JSON.parse(EXACT),
      assumptions: ['cash is six months of burn'],
      modelVersion: '1',
      createdAt: CREATED,
    });
    const fullSimulation = { ...SIMULATION, description: 'To the coast', horizonTurns: 8 };
    expect(encodeSimulation(fullSimulation)).toMatchObject({
      description: 'To the coast',
      horizonTurns: 8,
    });
  });
});

describe('a scenario', () => {
  it('has all its parameters, including unknown ones', () => {
    const encoded = encodeScenario(SCENARIO);
    expect(JSON.stringify(encoded.parameters)).toBe(SCENARIO.parameters);
    expect(show(encoded)).toEqual({
      id: 'scn_1',
      simulationId: 'sim_1',
      name: 'Recession',
      description: null,
      parameters: { gdpGrowth: -2, mood: 'grim' },
      ignoredParameters: ['mood'],
      isActive: true,
      forkedAtTurn: 1,
      createdAt: CREATED,
    });
  });

  it('has no parameters without changes', () => {
    const encoded = encodeScenario({ ...SCENARIO, parameters: '' });
    expect(encoded.parameters).toEqual({});
  });
});

describe('a state', () => {
  it('preserves every digit of world and decisions, and lists proofs', () => {
    const { states } = encodeAs(STATES, { states: [create(StateSchema, STATE)] });
    const encoded = states[0]!;
    expect(JSON.stringify(encoded.companyState)).toBe(STATE.companyState);
    expect(show(encoded)).toEqual({
      id: 'sta_1',
      scenarioId: 'scn_1',
      turn: 2,
      companyState: JSON.parse(STATE.companyState!),
      worldState: { gdpGrowth: -2 },
      events: [
        {
          label: 'Price war',
          impact: 'medium',
          code: 'price_war',
          effect: { price: -3 },
          duration: 2,
        },
      ],
      decisions: { levers: { priceChange: 0.5 } },
      stateHash: STATE.stateHash,
      decisionsHash: STATE.decisionsHash,
      proofs: ['pf_1', 'pf_2'],
      createdAt: CREATED,
    });
  });
});

describe('a report', () => {
  it('includes the data behind its numbers', () => {
    const report = {
      summary: 'It grew.',
      keyDecisions: ['Hired'],
      risks: ['Cash'],
      recommendations: ['Wait'],
    };
    const written = { fromTemplate: true, templateReason: 'numbers' };
    const more = { facts: '{"cagr":4.50}', proofIds: ['pf_9'], ...written };
    const message = create(ReportSchema, { ...report, ...more });
    const encoded = encodeAs(REPORT, { report: message }).report;
    expect(JSON.stringify(encoded)).toContain('"facts":{"cagr":4.50}');
    expect(show(encoded)).toEqual({
      ...report,
      facts: { cagr: 4.5 },
      ...written,
      proofs: ['pf_9'],
    });
  });
});

describe('a forecast', () => {
  it('lists percentiles in order', () => {
    const path = { revenue: [1, 2], cash: [3, 4], marketShare: [0.1, 0.2] };
    const percentiles = { p95: path, p5: path, p50: path, p25: path, p75: path };
    const pathInterval = { low: path, high: { ...path, cash: [5, 6] } };
    const intervals = {
      p50: pathInterval,
      p5: pathInterval,
      p25: pathInterval,
      p95: pathInterval,
      p75: pathInterval,
    };
    const forecast = { turns: 2, runs: 100, percentiles, insolvencyProbability: 0.25 };
    const intervalFields = { intervals, insolvencyLow: 0.125, insolvencyHigh: 0.5 };
    const message = create(ForecastResponseSchema, { ...forecast, ...intervalFields });
    const encoded = encodeAs(FORECAST, { forecast: toForecast(message) }).forecast;
    for (const named of [encoded.percentiles, encoded.percentileIntervals]) {
      expect(Object.keys(named)).toEqual(['p5', 'p25', 'p50', 'p75', 'p95']);
    }
    const insolvencyInterval = { low: 0.125, high: 0.5 };
    expect(encoded).toEqual({ ...forecast, percentileIntervals: intervals, insolvencyInterval });
  });
});

describe('a replay', () => {
  it('names the states that differ', () => {
    const replay = { matches: false, turns: 3, mismatches: ['scn_1:2', 'scn_2:3'] };
    expect(encodeAs(REPLAY, toReplay(create(ReplayResponseSchema, replay)))).toEqual({
      matches: false,
      turns: 3,
      mismatches: [
        { scenarioId: 'scn_1', turn: 2 },
        { scenarioId: 'scn_2', turn: 3 },
      ],
    });
  });
});

describe('an open object of a body', () => {
  const take = (text: string): string | undefined =>
    readObjectText({ text, body: JSON.parse(text) as Record<string, unknown> }, 'companyBase');

  it.each([
    ['numbers as they were written', EXACT],
    ['names of every kind', '{"__proto__":{"a":1},"constructor":2,"":3,"\u00e9":4}'],
    ['texts that the database cannot store unescaped', '{"a":"\\u0000","b":"\\ud800"}'],
  ])('preserves %s', (_name, text) => {
    expect(take(`{"companyBase": ${text}, "more": 1}`)).toBe(text);
  });

  it('is undefined if absent', () => {
    expect(take('{}')).toBeUndefined();
  });

  it('is the last one if it is repeated, as in the parsed body', () => {
    expect(take('{"companyBase":{"a":1},"companyBase":{"a":2}}')).toBe('{"a":2}');
  });
});

describe('a malformed id', () => {
  it('is reported as not found', () => {
    expect(SIMULATION_ID.read('sim_a1')).toBe('sim_a1');
    expect(SCENARIO_ID.read('scn_a1')).toBe('scn_a1');
    for (const id of ['', 'scn_1', 'sim_', 'sim_a b', `sim_${'a'.repeat(65)}`]) {
      expect(() => SIMULATION_ID.read(id)).toThrow(
        expect.objectContaining({ reason: 'NOT_FOUND', fields: {} }),
      );
    }
    expect(() => SCENARIO_ID.read('sim_1')).toThrow(expect.objectContaining({ fields: {} }));
    expect(() => SCENARIO_ID.read('sim_1', 'fromScenarioId')).toThrow(
      expect.objectContaining({ reason: 'NOT_FOUND', fields: { param: 'fromScenarioId' } }),
    );
  });
});
