import type { JsonObject } from '@bufbuild/protobuf';
import { LEVER_NAMES, openState, readCompanyBase, readParameters } from '../src/engine/engine.ts';
import type { CompanyState, LeverName, Levers } from '../src/engine/engine.ts';
import { toRandomSource, finishHash } from '../src/engine/random/draw-quarter.ts';
import { stepQuarter } from '../src/engine/turn/step-quarter.ts';
import { openDraftTurn } from '../src/engine/turn/draft-turn.ts';
import type { DraftTurn } from '../src/engine/turn/draft-turn.ts';
import { toClimate } from '../src/engine/world/climate.ts';

export type RandomPlay = {
  vectors: number;
  companies: number;
  insolvencies: number;
  greatestDeviation: number;
  failures: string[];
};

const TURNS_PER_PLAY = 40;
const FAILURES_MAX = 10;
const SECTORS = ['saas', 'retail', 'manufacturing', 'services', 'something else'];
const EXTREME_NUMBERS = [NaN, Infinity, -Infinity, 0, -0, 1e308, -1e308, 5e-324, 1, -1, 100];

/**
 * Plays companies of all sizes with arbitrary levers in arbitrary worlds, one lever vector per
 * quarter, until `vectors` are used or ten failures have occurred. After every quarter it checks
 * the invariants independently of the engine's own check.
 */
export const playAtRandom = ({ vectors, seed }: { vectors: number; seed: number }): RandomPlay => {
  const random = createRandom(seed);
  const play: RandomPlay = {
    vectors: 0,
    companies: 0,
    insolvencies: 0,
    greatestDeviation: 0,
    failures: [],
  };
  while (play.vectors < vectors && play.failures.length < FAILURES_MAX) {
    const base = randomBase(random);
    const state = openState(readCompanyBase(base).company);
    const { parameters } = readParameters(randomParameters(random));
    const draft = openDraftTurn(state, toClimate(parameters, 1));
    const source = toRandomSource(play.companies);
    play.companies += 1;
    for (let turn = 0; turn < TURNS_PER_PLAY && play.vectors < vectors; turn += 1) {
      const levers = randomLevers(random);
      play.vectors += 1;
      try {
        checkStep(draft, play, () => stepQuarter(draft, levers, source));
      } catch (error) {
        play.failures.push(`${String(error)} ${JSON.stringify({ base, levers })}`);
        break;
      }
    }
  }
  return play;
};

const checkStep = (draft: DraftTurn, play: RandomPlay, step: () => void): void => {
  const before = { ...draft.company };
  step();
  const { company, flows } = draft;
  if (flows.becameInsolvent) play.insolvencies += 1;
  const failure = findFailure(company, play);
  if (failure) throw new Error(failure);
  const size = sizeOf(company) + sizeOf(before);
  const cashFlow = flows.operatingCash + flows.investingCash + flows.financingCash;
  const cashGap = Math.abs(company.cash - before.cash - cashFlow);
  if (cashGap > 1e-9 * (size + Math.abs(cashFlow)) + 1 / company.moneyScale) {
    throw new Error(`cash moved otherwise than it flowed: ${cashGap}`);
  }
};

const findFailure = (company: CompanyState, play: RandomPlay): string | undefined => {
  for (const [name, value] of Object.entries(company)) {
    if (typeof value === 'number' && !Number.isFinite(value)) return `${name} is ${value}`;
  }
  const assets = company.cash + company.receivables + company.inventory + company.plant;
  const liabilities = company.payables + company.arrears + company.debt + company.creditDrawn;
  const deviation = Math.abs(assets - liabilities - company.equityPaid - company.retainedEarnings);
  const part = deviation / sizeOf(company);
  play.greatestDeviation = Math.max(play.greatestDeviation, part);
  if (part > 1e-9) return `the books do not balance: ${deviation}`;
  if (company.cash < 0) return `cash is ${company.cash}`;
  if (company.marketShare < 0 || company.marketShare > 1) return `share ${company.marketShare}`;
  if (!Number.isInteger(company.employees) || company.employees < 1) return 'no employees';
  if (company.debt < 0 || company.creditDrawn < 0 || company.plant < 0) return 'a negative stock';
  if (company.creditDrawn > company.creditLine) return 'the drawn credit exceeds the credit line';
  const yearlySales = company.price * company.customers;
  const step = 4 / company.moneyScale;
  if (Math.abs(company.revenue - yearlySales) > 1e-9 * yearlySales + step)
    return 'revenue is not price x units';
  return undefined;
};

const sizeOf = (company: CompanyState): number =>
  company.cash +
  company.receivables +
  company.inventory +
  company.plant +
  company.payables +
  company.arrears +
  company.debt +
  company.equityPaid +
  Math.abs(company.retainedEarnings) +
  1;

type Random = () => number;

const createRandom = (seed: number): Random => {
  let count = 0;
  return () => finishHash(Math.imul((count += 1), 0x9e3779b9) + seed) / 2 ** 32;
};

const pickRandom = <T>(random: Random, items: readonly T[]): T =>
  items[Math.floor(random() * items.length)]!;

const randomBase = (random: Random): JsonObject => {
  const revenue = 10 ** (2 + 11 * random());
  const employees = Math.max(1, Math.round(revenue / 10 ** (4 + 2 * random())));
  const base: JsonObject = {
    revenue: random() < 0.02 ? 0 : revenue,
    employees: Math.min(1e7, employees),
    sector: pickRandom(random, SECTORS),
  };
  if (random() < 0.5) base['cash'] = revenue * random() * 3;
  if (random() < 0.3) base['debt'] = revenue * random();
  if (random() < 0.3) base['marketShare'] = 0.001 + 0.9 * random();
  if (random() < 0.2) base['creditLine'] = revenue * random();
  if (random() < 0.2) base['plant'] = revenue * random() * random();
  if (random() < 0.1) base['marketingPct'] = 0;
  if (random() < 0.1) base['concentrationPct'] = 100 * random();
  return base;
};

const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  gdpGrowth: [-25, 25],
  inflationRate: [-10, 100],
  interestRate: [0, 100],
  sectorGrowth: [-50, 100],
  wageGrowth: [-20, 100],
  taxRate: [0, 60],
  priceElasticity: [0.1, 6],
  competitorIntensity: [0.25, 4],
};

const randomParameters = (random: Random): JsonObject => {
  const parameters: JsonObject = {};
  if (random() < 0.5) return parameters;
  for (const [name, [min, max]] of Object.entries(RANGES)) {
    if (random() < 0.3)
      parameters[name] = pickRandom(random, [min, max, min + (max - min) * random()]);
  }
  if (random() < 0.3) parameters['eventHazard'] = { price_war: 1, key_customer_loss: 1 };
  return parameters;
};

/** Ranges of the random lever values, somewhat wider than the bounds of the levers. */
const SPANS: Readonly<Record<LeverName, readonly [number, number]>> = {
  priceChange: [-12, 12],
  marketingPct: [-5, 45],
  rdPct: [-5, 45],
  headcountChange: [-30, 30],
  capexPct: [-5, 35],
  raiseEquity: [-1e6, 1e7],
  debtChange: [-1e7, 1e7],
  newMarketEntry: [-0.5, 1.5],
  costProgram: [-5, 15],
};

const randomLevers = (random: Random): Levers => {
  const levers = {} as Record<LeverName, number>;
  for (const name of LEVER_NAMES) {
    const [min, max] = SPANS[name];
    levers[name] =
      random() < 0.15 ? pickRandom(random, EXTREME_NUMBERS) : min + (max - min) * random();
  }
  return levers;
};
