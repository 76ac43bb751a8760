import type { TurnUnit } from '../../engine/engine.ts';
import type { ScenarioStory } from '../scenario-story.ts';
import type { FormatNumber } from '../create-format-number.ts';
import { englishAdvice, englishRisks } from './english-advice.ts';
import { englishDecisions, joinEnglish, quote, toEvent, toTurns } from './english-terms.ts';
import { isSimilar, isMeaningful } from './phrases.ts';
import type { Formats, ScenarioPhrases, Phrases } from './phrases.ts';

export const createEnglish = (formats: Formats, currency: string, unit: TurnUnit): Phrases => ({
  ...englishTime(formats, currency),
  ...englishScenario(formats),
  ...englishEnd(formats),
  ...englishComparison(formats),
  ...englishRisks(formats),
  ...englishAdvice(formats, unit),
  ...englishDecisions(formats, unit),
});

/**
 * Returns a sentence such as "In “Boom” revenue fell" or, for a single scenario, "Revenue fell".
 */
const inScenario = (where: string, sentence: string): string =>
  where === '' ? sentence[0]!.toUpperCase() + sentence.slice(1) : `In ${where} ${sentence}`;

const englishTime = ({ format, turn }: Formats, currency: string) =>
  ({
    played: ({ turns, unit, scenarios }) =>
      `The company was played forward for ${format(turns, 'turns')} of a ${unit}` +
      (turns === 1 ? '' : ' each') +
      (scenarios === 1 ? '.' : `, in ${format(scenarios, 'scenarios')}.`),
    noProvider: () =>
      'Rules wrote this report without a model, because no provider of models is configured; a ' +
      'council without a model changes nothing.',
    money: (hasInsolvent) =>
      `Money is ${currency === '' ? 'in the currency of the company' : `in ${currency}`} and ` +
      'nominal, that is, at the prices of its time. The valuation is the usual multiple of ' +
      'revenue in the sector, plus cash, less debt.' +
      (hasInsolvent ? ' A company that cannot pay has none.' : ''),
    paused: ({ name, pausedTurns, turns }) =>
      `${name === '' ? 'It' : `“${name}”`} was paused in ${toTurns(pausedTurns)}, and so played ` +
      `${format(turns, 'turns')}.`,
    joined: ({ name, turn: first }) => `“${name}” was first played in ${turn(first)}.`,
    undecided: ({ names, turns, isAlways }) => {
      const where = joinEnglish(names.map(quote));
      return isAlways
        ? inScenario(where, 'no council decided: the company held its course throughout.')
        : inScenario(where, `no council decided in ${format(turns, 'turns')}: it held its course.`);
    },
  }) satisfies Partial<ScenarioPhrases>;

const englishScenario = ({ format, money, percent, turn }: Formats) =>
  ({
    revenue: (name, story) => {
      const { start, end } = story.revenue;
      const change = describeChange(money(start), money(end), end > start);
      const isUnchanged = money(start) === money(end);
      const cause = isUnchanged ? '' : toCause(story, format);
      return inScenario(name && quote(name), `revenue per year ${change}${cause}.`);
    },
    turningPoint: ({ kind, value, turn: turnNumber }) =>
      kind === 'peak'
        ? `It had reached ${money(value)} in ${turn(turnNumber)}.`
        : `It had been down to ${money(value)} in ${turn(turnNumber)}.`,
    realRevenue: ({ inflation, realRevenue }) =>
      `Prices in general ${inflation.whole < 0 ? 'fell' : 'rose'} by ` +
      `${percent(Math.abs(inflation.whole))}: at the prices of the start revenue per year ended ` +
      `at ${money(realRevenue)}.`,
    events: (events, where) =>
      `${where === 'everywhere' ? 'In every scenario the company' : 'It'} met ` +
      `${joinEnglish(
        events.map(
          ({ code, label, impact, turns }) =>
            `${toEvent(code, label)} in ${toTurns(turns)} (${impact} impact)`,
        ),
      )}.`,
    cash: ({ cash, equity }) =>
      `Cash ${describeChange(money(cash.start), money(cash.end), cash.end > cash.start)}` +
      `${toLowest(cash, format)}.` +
      (equity.amount > 0
        ? ` Owners paid in ${money(equity.amount)} of new equity in ${toTurns(equity.turns)}, ` +
          'which the company did not earn.'
        : ''),
  }) satisfies Partial<ScenarioPhrases>;

const englishEnd = ({ format, money, percent, turn }: Formats) =>
  ({
    end: ({ people, share, margin, ebitda }) =>
      `It ends with ${format(people, 'people')}, a market share of ${percent(share.end)}` +
      (isMeaningful(margin.end)
        ? ` and an EBITDA margin of ${percent(margin.end)}` +
          (isMeaningful(margin.start) ? `, after ${percent(margin.start)} at the start.` : '.')
        : ` and an EBITDA of ${money(ebitda)} a year.`),
    cuts: (turns) =>
      `It could not pay for what it wanted to spend in ${toTurns(turns)}, so spending was cut.`,
    insolvent: ({ turn: turnNumber, insolventSince, solventSince }) => {
      const began = `It became insolvent in ${turn(turnNumber)}`;
      if (solventSince !== undefined) {
        const recovered =
          solventSince === turnNumber ? 'before its end' : `from ${turn(solventSince)} on`;
        return `${began}, lost staff whom it did not pay, and could pay again ${recovered}.`;
      }
      const since = insolventSince!;
      return (
        began +
        (since === turnNumber
          ? '.'
          : `, could pay again, and cannot any more since ${turn(since)}.`) +
        ' To the end it could not pay: staff who are not paid leave, and nothing is left for its ' +
        'owners.'
      );
    },
    undescribed: (names) =>
      `${joinEnglish(names.map(quote))} ${names.length === 1 ? 'is' : 'are'} not described here.`,
  }) satisfies Partial<ScenarioPhrases>;

const BASIS = 'valuation less new equity and at the prices of the start';

const englishComparison = ({ format, money, turn }: Formats) =>
  ({
    compared: ({ turns, isEqual, ranked, omitted }) => {
      const solvent = ranked.filter(({ insolventSince }) => insolventSince === undefined);
      const insolvent = ranked.filter(({ insolventSince }) => insolventSince !== undefined);
      const time = isEqual
        ? ''
        : `after ${format(turns, 'turns')}, which each of them has played, `;
      const omission =
        omitted.length === 0
          ? ''
          : ` ${joinEnglish(omitted.map(quote))} began later and cannot be compared.`;
      const [best, worst] = [solvent[0], solvent.at(-1)];
      const cannotPay = joinEnglish(
        insolvent.map(({ name, insolventSince }) => `in “${name}” since ${turn(insolventSince!)}`),
      );
      if (!best || !worst) {
        const subject = isEqual ? 'In every scenario' : `Compared ${time}in every scenario`;
        return `${subject} the company cannot pay what is due: ${cannotPay}.${omission}`;
      }
      const basis = `Compared ${time}by their ${BASIS}, `;
      const hasInsolvent = insolvent.length > 0;
      const end = `${hasInsolvent ? `; it cannot pay what is due ${cannotPay}` : ''}.${omission}`;
      if (best === worst) {
        return `${basis}the company does best in “${best.name}”, with ${money(best.worth)}${end}`;
      }
      return isSimilar(best.worth, worst.worth)
        ? `${basis}the scenarios ${hasInsolvent ? 'in which it can pay ' : ''}hardly ` +
            `differ: ${money(worst.worth)} in “${worst.name}” and ${money(best.worth)} in ` +
            `“${best.name}”${end}`
        : `${basis}the company does best in “${best.name}”, with ${money(best.worth)}, and ` +
            `${hasInsolvent ? 'less well' : 'worst'} in “${worst.name}”, with ` +
            `${money(worst.worth)}${end}`;
    },
    notCompared: () =>
      'The scenarios are not compared: there is no time that all of them have played.',
  }) satisfies Partial<ScenarioPhrases>;

const describeChange = (from: string, to: string, isIncrease: boolean): string =>
  from === to ? `stayed at ${to}` : `${isIncrease ? 'rose' : 'fell'} from ${from} to ${to}`;

const toLowest = ({ start, end, lowest }: ScenarioStory['cash'], format: FormatNumber): string => {
  const [low, from, to] = [lowest.value, start, end].map((value) => format(value, 'money'));
  if (low === from) return to === from ? '' : ' and never fell below where it began';
  if (low === to) return ', its lowest point';
  return `; it was lowest in ${format(lowest.turn, 'turn')}, with ${low}`;
};

const toCause = ({ cause, ...story }: ScenarioStory, format: FormatNumber): string => {
  if (!cause) return '';
  const { driver, change, hasEntered } = cause;
  const changeText = format(Math.abs(change), 'percent');
  const isIncrease = change > 0;
  // No amount here, because the sentence about revenue at the prices of the start states it.
  if (driver === 'prices') return ', mainly with prices in general';
  const reasons: Readonly<Record<Exclude<typeof driver, 'prices'>, string>> = {
    ownPrice: `it ${isIncrease ? 'raised' : 'lowered'} its prices against rivals by ${changeText}`,
    market:
      `its market ${isIncrease ? 'grew' : 'shrank'} by ${changeText}` +
      (isIncrease && hasEntered ? ', a further one that it entered included' : ''),
    share:
      `its market share ${isIncrease ? 'rose' : 'fell'} from ` +
      `${format(story.share.start, 'percent')} to ` +
      `${format(story.share.end, 'percent')}${toShareCause({ cause, ...story }, format)}`,
    served: `it served ${isIncrease ? 'more' : 'less'} of the demand than before`,
  };
  return `, mainly because ${reasons[driver]}`;
};

const toShareCause = ({ shareCause, spending }: ScenarioStory, format: FormatNumber): string => {
  if (!shareCause) return '';
  const { driver, isUp: isIncrease } = shareCause;
  const comparedWithUsual = (label: string, actualSpending: number, usual: number): string =>
    actualSpending > usual === isIncrease && actualSpending !== usual
      ? `, with ${label} last at ${format(actualSpending, 'percent')} of revenue, where ` +
        `${format(usual, 'percent')} is usual`
      : '';
  return {
    brand:
      `: its brand ${isIncrease ? 'gained' : 'lost'} strength` +
      comparedWithUsual('marketing', spending.marketing, spending.usualMarketing),
    quality:
      `: its products ${isIncrease ? 'got ahead' : 'fell behind'}` +
      comparedWithUsual('research and development', spending.rd, spending.usualRd),
    price: `: its prices ${isIncrease ? 'fell' : 'rose'} against those of rivals`,
    chance: ', more by events and chance than by what it did',
  }[driver];
};
