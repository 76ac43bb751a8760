import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { playReported, reportOf, toPage } from '../../test/play-report.ts';
import type { ReportPlay } from '../../test/play-report.ts';
import { REPORTED_PLAYS } from '../../test/reported-plays.ts';
import { findMoveErrors } from './number-lock/find-move-errors.ts';
import { findNumberErrors } from './number-lock/find-number-errors.ts';
import { normalizeProse } from './number-lock/split-tokens.ts';

const WORLDS: Record<string, number>[] = [
  {},
  { gdpGrowth: -6 },
  { gdpGrowth: 6, inflationRate: 12 },
  { interestRate: 15 },
];

const council: ReportPlay['council'] = (turn) =>
  turn % 4 === 0
    ? undefined
    : {
        ...{ marketingPct: (turn * 7) % 40, headcountChange: turn % 3 === 0 ? -20 : 5 },
        ...{ priceChange: (turn % 5) - 2, costProgram: turn === 2 ? 4 : 0 },
        raiseEquity: turn === 3 ? 250_000 : 0,
      };

const COMPANIES: ReportPlay['companyBase'][] = [
  { sector: 'saas', revenue: 2_400_000, employees: 24, burn: 60_000, cash: 1_500_000 },
  { sector: 'retail', revenue: 80_000_000, employees: 400, cash: 9_000_000, currency: 'EUR' },
  { sector: 'manufacturing', revenue: 1_234_567, employees: 11, cash: 3 },
  { sector: 'services', revenue: 0, employees: 1, cash: 50 },
];
const LANGUAGES = {
  en: { name: 'The bakery', description: 'What becomes of the company' },
  de: { name: 'Bäckerei', description: 'Wie es mit der Firma weitergeht' },
} as const;

const GOLDEN = [
  'bakery-in-german-with-a-paused-scenario',
  'saas-that-runs-out-of-money-twice',
  'agency-with-branches',
  'before-the-first-sale',
] as const;

describe('writeTemplate', () => {
  it.each(
    COMPANIES.flatMap((companyBase) =>
      [1, 2, 9].flatMap((turns) =>
        (['en', 'de'] as const).map((language) => ({
          ...{ companyBase, turns, language },
          sector: companyBase['sector'],
        })),
      ),
    ),
  )('contains only numbers of the figures: $sector, $turns turns, $language', async (row) => {
    const { companyBase, turns, language } = row;
    for (const names of [['Base'], ['Base', 'Plan -5% / 2027', '3x', 'A', 'B', 'C']]) {
      for (const turnUnit of ['quarter', 'year'] as const) {
        const scenarios = names.map((name, index) => ({
          ...{ name, parameters: WORLDS[index % WORLDS.length]! },
          paused: index === 1 && turns > 2 ? [2, 3] : [],
        }));
        const report = await reportOf({
          ...{ ...LANGUAGES[language], companyBase, turnUnit, turns, scenarios, council },
          seed: turns,
        });
        expect(report.language).toBe(language);
        const { summary, risks, recommendations } = report.template;
        const lock = { figures: report.figures, names, language };
        for (const text of [summary, ...risks, ...recommendations, ...report.keyDecisions]) {
          expect([text, findNumberErrors(normalizeProse(text), lock)]).toEqual([text, []]);
          expect(text).not.toMatch(/undefined|NaN|Infinity/);
        }
        expect(risks.length).toBeGreaterThan(0);
        expect(recommendations.length).toBeGreaterThan(0);
      }
    }
  });

  it.each(Object.entries(REPORTED_PLAYS))(
    'contains only numbers of the figures and moves that were made: %s',
    async (_, play) => {
      const { template, keyDecisions, figures, language } = await reportOf(play);
      const { histories } = playReported(play);
      const names = play.scenarios.map(({ name }) => name);
      const { summary, risks, recommendations } = template;
      for (const text of [summary, ...risks, ...recommendations, ...keyDecisions]) {
        const found = findNumberErrors(normalizeProse(text), { figures, names, language });
        expect([text, found]).toEqual([text, []]);
        expect([text, findMoveErrors(text, { histories, language })]).toEqual([text, []]);
      }
    },
  );

  it.each([
    ['en', 'scenarios hardly differ', '“Late” began later and cannot be compared.'],
    ['de', 'unterscheiden sich die Szenarien kaum', 'weil später begonnen: „Late“.'],
  ] as const)(
    'names scenarios that are not compared, also if the others hardly differ: %s',
    async (language, similar, omission) => {
      const scenarios = [
        { name: 'Base' },
        { name: 'Gone', paused: [3, 4, 5, 6] },
        { name: 'Late', from: 4 },
      ];
      const { template } = await reportOf({
        ...{ ...LANGUAGES[language], companyBase: COMPANIES[0]!, scenarios, council },
        ...{ turns: 6, seed: 42 },
      });
      expect(template.summary).toContain(similar);
      expect(template.summary).toContain(omission);
    },
  );

  it.each([
    ['en', '“B”, “C” and “D” are not described here.'],
    ['de', 'Hier nicht beschrieben: „B“, „C“ und „D“.'],
  ] as const)('names the scenarios that it does not describe: %s', async (language, note) => {
    const names = ['A', 'B', 'C', 'D', 'E', 'F'];
    const growth = [0, 1, 2, 3, 6, -6];
    const scenarios = names.map((name, index) => ({
      ...{ name, parameters: { gdpGrowth: growth[index]! } },
    }));
    const { template } = await reportOf({
      ...{ ...LANGUAGES[language], companyBase: COMPANIES[1]!, scenarios, turns: 4, seed: 42 },
      council: () => ({ marketingPct: 3 }),
    });
    expect(template.summary).toContain(note);
  });

  // The golden files contain the reports that `node apps/simulation/test/read-reports.ts` prints,
  // reviewed before they were committed.
  it.each(GOLDEN)('equals its golden file: %s', async (name) => {
    const golden = await readFile(new URL(`golden/${name}.md`, import.meta.url), 'utf8');
    expect(toPage(await reportOf(REPORTED_PLAYS[name]!))).toBe(golden);
  });
});
