import type { LeverEffect, TurnUnit } from '../../engine/engine.ts';
import type { KeyDecision } from '../key-decisions.ts';
import type { FormatNumber } from '../create-format-number.ts';
import type { DecisionPhrases } from './phrases.ts';

export const englishDecisions = (format: FormatNumber, unit: TurnUnit): DecisionPhrases => {
  const money = (value: number): string => format(Math.abs(value), 'money');
  const compare = (difference: number): string =>
    money(difference) === format(0, 'money')
      ? 'the same'
      : `${money(difference)} ${difference > 0 ? 'higher' : 'lower'}`;
  return {
    decision: (decision, isOnlyScenario) => {
      const { scenario, turn, worth, revenue, cash, isRescue } = decision;
      const turnText = isOnlyScenario ? `Turn ${turn}` : `“${scenario}”, turn ${turn}`;
      const withoutDecision = isRescue
        ? 'Without it the company would be insolvent at the end.'
        : `Without it the company's valuation less new equity would be ${compare(-worth)} at the ` +
          `end, its yearly revenue ${compare(-revenue)} and its cash ${compare(-cash)}.`;
      return `${turnText}: ${describeInEnglish(decision, format, unit)}. ${withoutDecision}`;
    },
    noDecisions: () => 'No decision moved the company off its course.',
  };
};

export const describeInEnglish = (
  { isForced, ...move }: KeyDecision,
  format: FormatNumber,
  unit: TurnUnit,
): string => {
  const decisionText = describeLever(move, format, unit === 'year' ? ' a quarter' : '');
  return isForced ? `${decisionText}, for want of money` : decisionText;
};

/**
 * Returns the change of a lever as a phrase. `each` is " a quarter" if a turn is a year, because
 * levers apply per quarter.
 */
const describeLever = (
  { lever, value, defaultValue }: Pick<LeverEffect, 'lever' | 'value' | 'defaultValue'>,
  format: FormatNumber,
  each: string,
): string => {
  const percent = format(Math.abs(value), 'percent');
  const money = format(Math.abs(value), 'money');
  const spending = (label: string): string =>
    `${value > defaultValue ? 'raised' : 'lowered'} ${label} ` +
    `from ${format(defaultValue, 'percent')} to ` +
    `${percent} of revenue`;
  switch (lever) {
    case 'priceChange':
      return `${value > 0 ? 'raised' : 'cut'} prices by ${percent}${each} beyond inflation`;
    case 'marketingPct':
      return spending('marketing');
    case 'rdPct':
      return spending('research and development');
    case 'capexPct':
      return spending('investment');
    case 'headcountChange':
      return `${value > 0 ? 'grew' : 'cut'} the staff by ${percent}${each}`;
    case 'raiseEquity':
      return `raised ${money} of equity${each}`;
    case 'debtChange':
      return value > 0 ? `borrowed ${money}${each}` : `repaid ${money} of debt${each}`;
    case 'newMarketEntry':
      return 'began to enter a further market';
    case 'costProgram':
      return `cut the overhead by ${percent}${each}`;
  }
};
