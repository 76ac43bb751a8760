import { areConsecutive } from './phrases.ts';
import type { LeverName, TurnUnit } from '../../engine/engine.ts';
import type { KeyDecision } from '../key-decisions.ts';
import type { DecisionPhrases, Formats } from './phrases.ts';

export const joinEnglish = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)!}`;

export const quote = (name: string): string => `“${name}”`;

/** Returns "turn 3", "turns 3 and 5" or "turns 3 to 8". */
export const toTurns = (turns: readonly number[]): string =>
  turns.length === 1
    ? `turn ${turns[0]!}`
    : `turns ${
        areConsecutive(turns) ? `${turns[0]!} to ${turns.at(-1)!}` : joinEnglish(turns.map(String))
      }`;

export const toEvent = (code: string, label: string): string => EVENTS[code] ?? label.toLowerCase();

const EVENTS: Readonly<Record<string, string>> = {
  recession: 'a recession',
  supply_shock: 'a supply shock',
  price_war: 'a price war of its competitors',
  regulation: 'new regulation',
  demand_surge: 'a surge of demand',
  talent_shortage: 'a shortage of talent',
  credit_tightening: 'tighter credit',
  cyber_incident: 'a cyber incident',
  key_customer_loss: 'the loss of a key customer',
  liquidity: 'a shortage of cash that made it draw on its credit line',
};

export const englishDecisions = (formats: Formats, unit: TurnUnit): DecisionPhrases => {
  const { unsignedMoney: money } = formats;
  const compare = (difference: number): string =>
    money(difference) === money(0)
      ? 'the same'
      : `${money(difference)} ${difference > 0 ? 'higher' : 'lower'}`;
  return {
    decision: (decision, isOnlyScenario) => {
      const { scenario, turn, worth, revenue, cash, solvency } = decision;
      const turnText = isOnlyScenario ? `Turn ${turn}` : `“${scenario}”, turn ${turn}`;
      const withoutDecision = {
        rescue: 'Without it the company would be insolvent at the end.',
        ruin: 'Without it the company would not be insolvent at the end.',
        none:
          `Without it the company's valuation less new equity would be ${compare(-worth)} at the ` +
          `end, its yearly revenue ${compare(-revenue)} and its cash ${compare(-cash)}.`,
      }[solvency];
      return `${turnText}: ${describeInEnglish(decision, formats, unit)}. ${withoutDecision}`;
    },
    noDecisions: (hasInsolvent) =>
      hasInsolvent
        ? 'No single decision changed how it ended.'
        : 'No decision moved the company off its course.',
  };
};

/** Returns the change of a lever as a phrase with the company as its subject. */
export const describeInEnglish = (
  { lever, value, defaultValue, wanted }: KeyDecision,
  formats: Formats,
  unit: TurnUnit,
): string => {
  const percent = formats.unsignedPercent(value);
  const money = formats.unsignedMoney(value);
  // Levers apply per quarter, also if a turn is a year.
  const each = unit === 'year' ? ' a quarter' : '';
  const spending = (label: string): string =>
    `${value > defaultValue ? 'raised' : 'lowered'} ${label} ` +
    `from ${formats.percent(defaultValue)} to ${percent} of revenue`;
  const phrases: Readonly<Record<LeverName, string>> = {
    priceChange: `${value > 0 ? 'raised' : 'cut'} prices by ${percent}${each} beyond inflation`,
    marketingPct: spending('marketing'),
    rdPct: spending('research and development'),
    capexPct: spending('investment'),
    headcountChange: `${value > 0 ? 'grew' : 'cut'} the staff by ${percent}${each}`,
    raiseEquity: `raised ${money} of equity${each}`,
    debtChange: value > 0 ? `borrowed ${money}${each}` : `repaid ${money} of debt${each}`,
    newMarketEntry: 'began to enter a further market',
    costProgram: `cut the overhead by ${percent}${each}`,
  };
  if (wanted === undefined || lever === 'newMarketEntry') return phrases[lever];
  const wantedText =
    lever === 'debtChange' ? formats.unsignedMoney(wanted) : formats.unsignedPercent(wanted);
  return `${phrases[lever]} (it wanted ${wantedText}, and could not pay for more)`;
};
