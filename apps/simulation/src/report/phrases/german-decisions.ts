import type { LeverEffect, TurnUnit } from '../../engine/engine.ts';
import type { KeyDecision } from '../key-decisions.ts';
import type { FormatNumber } from '../create-format-number.ts';
import type { DecisionPhrases } from './phrases.ts';

export const germanDecisions = (format: FormatNumber, unit: TurnUnit): DecisionPhrases => {
  const money = (value: number): string => format(Math.abs(value), 'money');
  const compare = (difference: number): string =>
    money(difference) === format(0, 'money')
      ? 'gleich'
      : `um ${money(difference)} ${difference > 0 ? 'höher' : 'niedriger'}`;
  return {
    decision: (decision, isOnlyScenario) => {
      const { scenario, turn, worth, revenue, cash, isRescue } = decision;
      const where = isOnlyScenario ? `Runde ${turn}` : `„${scenario}“, Runde ${turn}`;
      const withoutDecision = isRescue
        ? 'Ohne sie wäre das Unternehmen am Ende zahlungsunfähig.'
        : `Ohne sie wäre der Unternehmenswert ohne neues Eigenkapital am Ende ` +
          `${compare(-worth)}, der Jahresumsatz ${compare(-revenue)} und die Kasse ` +
          `${compare(-cash)}.`;
      const change = describeInGerman(decision, format, unit);
      return `${where}: Entscheidung, ${change}. ${withoutDecision}`;
    },
    noDecisions: () => 'Keine Entscheidung brachte das Unternehmen von seinem Kurs ab.',
  };
};

export const describeInGerman = (
  { isForced, ...move }: KeyDecision,
  format: FormatNumber,
  unit: TurnUnit,
): string => {
  const decisionText = describeLever(move, format, unit === 'year' ? ' je Quartal' : '');
  return isForced ? `mangels Geld ${decisionText}` : decisionText;
};

const describeLever = (
  { lever, value, defaultValue }: Pick<LeverEffect, 'lever' | 'value' | 'defaultValue'>,
  format: FormatNumber,
  each: string,
): string => {
  const percent = format(Math.abs(value), 'percent');
  const money = format(Math.abs(value), 'money');
  const spending = (label: string): string =>
    `${label} von ${format(defaultValue, 'percent')} auf ${percent} des Umsatzes zu ` +
    (value > defaultValue ? 'erhöhen' : 'senken');
  switch (lever) {
    case 'priceChange':
      return (
        `die Preise über die Inflation hinaus um ${percent}${each} zu ` +
        (value > 0 ? 'erhöhen' : 'senken')
      );
    case 'marketingPct':
      return spending('das Marketing');
    case 'rdPct':
      return spending('Forschung und Entwicklung');
    case 'capexPct':
      return spending('die Investitionen');
    case 'headcountChange':
      return `die Belegschaft um ${percent}${each} zu ${value > 0 ? 'vergrößern' : 'verkleinern'}`;
    case 'raiseEquity':
      return `Eigenkapital von ${money}${each} aufzunehmen`;
    case 'debtChange':
      return value > 0
        ? `Kredit von ${money}${each} aufzunehmen`
        : `Schulden von ${money}${each} zu tilgen`;
    case 'newMarketEntry':
      return 'in einen weiteren Markt einzutreten';
    case 'costProgram':
      return `die Gemeinkosten um ${percent}${each} zu senken`;
  }
};
