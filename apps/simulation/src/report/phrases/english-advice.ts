import type { TurnUnit } from '../../engine/engine.ts';
import type { Outlook, ScenarioStory } from '../scenario-story.ts';
import type { Cost } from '../scenario-history.ts';
import { describeInEnglish, joinEnglish, quote, toEvent, toTurns } from './english-terms.ts';
import { isMeaningful } from './phrases.ts';
import type { Formats, AdvicePhrases, RiskKind, RiskPhrases, Remedy } from './phrases.ts';

const COST_WORDS: Readonly<Record<Cost, string>> = {
  directCosts: 'direct costs',
  wages: 'wages',
  marketing: 'marketing',
  rd: 'research and development',
  overhead: 'overhead',
};

const aboutCompany = (name: string, predicate: string): string =>
  `${name === '' ? 'The company' : `In “${name}” the company`} ${predicate}`;

export const englishRisks = (formats: Formats): RiskPhrases => {
  const risks: Risks = { ...cashRisks(formats), ...businessRisks(formats) };
  return {
    risk: (kind, name, story) => aboutCompany(name, risks[kind](story)),
    alsoIn: (names) => ` The same holds in ${joinEnglish(names.map(quote))}.`,
    noRisk: (name, lowestCash) =>
      'The company never ran short of cash; its tightest moment left it with ' +
      formats.unsignedMoney(lowestCash) +
      (name === '' ? '' : `, in “${name}”`) +
      '. A harder world than the one that was played was not tried.',
  };
};

type Risks = Readonly<Record<RiskKind, (story: ScenarioStory) => string>>;

const cashRisks = ({ format, unsignedMoney: money, percent }: Formats) => {
  const zero = format(0, 'money');
  const isCashExhausted = ({ median }: Outlook): boolean => money(median) === zero;
  const toCash = (value: number): string =>
    money(value) === zero ? 'no cash' : `${money(value)} of cash`;
  return {
    insolvent: ({ insolvent }) =>
      `cannot pay what it owes since ${format(insolvent!.insolventSince!, 'turn')}.`,
    runway: ({ cashFlow, cash, runway }) =>
      `spends ${money(cashFlow.end)} a month more than it takes in` +
      (money(cash.end) === zero
        ? ' and has no cash left.'
        : `: its cash lasts for ${format(runway!, 'months')}.`),
    turned: ({ cashFlow }) =>
      `took in ${money(cashFlow.start)} a month more than it spent at the start, and spends ` +
      `${money(cashFlow.end)} a month more than it takes in at the end.`,
    outlook: ({ outlook, cash }) =>
      `would have ${toCash(outlook!.median)} after a further year with its last decisions by ` +
      `the median forecast` +
      (isCashExhausted(outlook!) ? '' : `, and ${toCash(outlook!.fifthPercentile)} by a poor one`) +
      '; ' +
      `now it has ${money(cash.end)}` +
      (outlook!.insolvencyPct > 0
        ? '. It becomes insolvent within that year in ' +
          `${percent(outlook!.insolvencyPct)} of the forecasts.`
        : '.'),
    drain: ({ cashFlow, runway }) =>
      `spends ${money(cashFlow.end)} a month more than it takes in; its cash lasts for ` +
      `${format(runway!, 'months')}.`,
  } satisfies Partial<Risks>;
};

const businessRisks = ({ format, unsignedMoney: money, percent }: Formats) =>
  ({
    loss: ({ margin, ebitda }) =>
      'makes a loss before interest and tax: ' +
      (isMeaningful(margin.end)
        ? `the EBITDA margin is ${percent(margin.end)}.`
        : `EBITDA is ${format(ebitda, 'money')} a year.`),
    margin: ({ margin, cost }) =>
      `keeps less of what it sells: the EBITDA margin went from ${percent(margin.start)} to ` +
      percent(margin.end) +
      (cost
        ? `, while ${COST_WORDS[cost.name]} went from ${percent(cost.start)} to ` +
          `${percent(cost.end)} of revenue.`
        : '.'),
    inflationOnly: ({ revenue, realRevenue }) =>
      `grows by inflation only: at the prices of the start, revenue per year went from ` +
      `${money(revenue.start)} to ${money(realRevenue)}.`,
    share: ({ share }) =>
      `loses ground: its market share fell from ${percent(share.start)} to ` +
      `${percent(share.end)}.`,
    unserved: ({ unserved }) => `cannot serve ${percent(unserved)} of the demand.`,
    recovered: ({ insolvent }) =>
      `was insolvent in ${format(insolvent!.turn, 'turn')}, and recovered.`,
    events: ({ events }) => {
      const { code, label, turns } = events.findLast(({ impact }) => impact === 'high')!;
      return (
        `was hit hard by ${toEvent(code, label)} in ${toTurns(turns)}, and nothing keeps that ` +
        'from coming again.'
      );
    },
  }) satisfies Partial<Risks>;

const withName = (name: string, advice: string): string =>
  name === '' ? advice : `In “${name}”, ${advice[0]!.toLowerCase()}${advice.slice(1)}`;

const toRemedies = ({
  format,
  unsignedMoney: money,
  unsignedPercent: percent,
}: Formats): Readonly<Record<Remedy, (story: ScenarioStory) => string>> => ({
  closeGap: ({ cashFlow, cash }) =>
    `Close the gap of ${money(cashFlow.end)} a month, or raise money before the cash is ` +
    `used up: a year at this rate costs ${money(cashFlow.end * 12)}, and ` +
    `${money(cash.end)} is left.`,
  marketing: ({ spending }) =>
    `Spend more on marketing, to win back market share: it is at ` +
    `${percent(spending.marketing)} of revenue, where ${percent(spending.usualMarketing)} ` +
    'is usual in the sector.',
  research: ({ spending }) =>
    'Spend more on research and development, to win back market share: it is at ' +
    `${percent(spending.rd)} of revenue, where ${percent(spending.usualRd)} is usual in ` +
    'the sector.',
  price: ({ priceGap }) =>
    `Bring prices back towards those of rivals, above which they are by ` +
    `${percent(priceGap)}: that is what cost market share.`,
  capacity: ({ unserved }) => `Hire or invest: ${percent(unserved)} of the demand goes unserved.`,
  restructure: () =>
    'Find owners who pay in fresh money, or agree with creditors, and cut what is spent: ' +
    'what is due cannot be paid.',
  actEarlier: ({ lastSolvent }) =>
    `Play the time before again, and raise money or cut costs earlier: ` +
    (lastSolvent!.turn === 0 ? 'at the start ' : `after ${format(lastSolvent!.turn, 'turn')} `) +
    `it had ${money(lastSolvent!.cash)} of cash and spent ${money(lastSolvent!.burn)} a month ` +
    'more than it took in.',
  reserve: ({ outlook }) =>
    'Agree now on what is cut first if cash ' +
    (money(outlook!.fifthPercentile) === money(0)
      ? 'runs short: a poor forecast uses it up within a further year.'
      : `falls to ${money(outlook!.fifthPercentile)}, where a poor forecast puts it after a ` +
        'further year with the last decisions.'),
  useCash: ({ outlook, cash }) =>
    `Decide what the cash is for: with the last decisions even a poor forecast raises it from ` +
    `${money(cash.end)} to ${money(outlook!.fifthPercentile)} within a year.`,
  cost: ({ cost }) =>
    `Look at ${COST_WORDS[cost!.name]} first: at ${percent(cost!.end)} of revenue, after ` +
    `${percent(cost!.start)} in the first turn, no other cost has grown more.`,
});

export const englishAdvice = (formats: Formats, unit: TurnUnit): AdvicePhrases => {
  const { turn: toTurn, unsignedMoney: money } = formats;
  const turnOf = (turn: number, scenario: string, isOnly: boolean): string =>
    `${toTurn(turn)}${isOnly ? '' : ` of “${scenario}”`}`;
  const remedies = toRemedies(formats);
  return {
    remedy: (kind, name, story) => withName(name, remedies[kind](story)),
    repeat: (decision, isOnly) =>
      `Build on what helped most: in ${turnOf(decision.turn, decision.scenario, isOnly)} the ` +
      `company ${describeInEnglish(decision, formats, unit)}, ` +
      (decision.solvency === 'rescue'
        ? 'without which it would be insolvent at the end.'
        : `which added ${money(decision.worth)} to its valuation at the end.`),
    avoid: (decision, isOnly) =>
      `Be slow to repeat what cost most: in ${turnOf(decision.turn, decision.scenario, isOnly)} ` +
      `the company ${describeInEnglish(decision, formats, unit)}, ` +
      (decision.solvency === 'ruin'
        ? 'without which it would not be insolvent at the end.'
        : `which took ${money(decision.worth)} off its valuation at the end.`),
    decide: () =>
      'Give the company a council that decides: where there was none it held its course.',
    prepare: (worst, best) =>
      `Prepare for “${worst.name}”, in which the company ` +
      (worst.insolventSince === undefined
        ? `is worth ${money(best.worth - worst.worth)} less than in “${best.name}”`
        : `cannot pay from ${toTurn(worst.insolventSince)} on`) +
      ', and agree on the signs by which it would be noticed early.',
    branch: () =>
      'Play a branch in which the company changes one thing, such as its prices or its ' +
      'marketing: nothing was decided here whose effect could be measured.',
    playMoreTurns: () =>
      'Play a harder and an easier world beside this one before anything rests on it.',
  };
};
