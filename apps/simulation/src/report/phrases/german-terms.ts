import { areConsecutive } from './phrases.ts';
import type { LeverName, TurnUnit } from '../../engine/engine.ts';
import type { KeyDecision } from '../key-decisions.ts';
import type { DecisionPhrases, Formats } from './phrases.ts';

export const joinGerman = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} und ${items.at(-1)!}`;

export const quoteGerman = (name: string): string => `„${name}“`;

/** Returns "Runde 3", "den Runden 3 und 5" or "den Runden 3 bis 8", for use after "in". */
export const toRounds = (turns: readonly number[]): string =>
  turns.length === 1
    ? `Runde ${turns[0]!}`
    : `den Runden ${
        areConsecutive(turns) ? `${turns[0]!} bis ${turns.at(-1)!}` : joinGerman(turns.map(String))
      }`;

export const toGermanEvent = (code: string, label: string): string => EVENTS[code] ?? `„${label}“`;

const EVENTS: Readonly<Record<string, string>> = {
  recession: 'eine Rezession',
  supply_shock: 'ein Lieferschock',
  price_war: 'ein Preiskampf der Wettbewerber',
  regulation: 'neue Regulierung',
  demand_surge: 'ein Nachfrageschub',
  talent_shortage: 'Fachkräftemangel',
  credit_tightening: 'knapperer Kredit',
  cyber_incident: 'ein Cyberangriff',
  key_customer_loss: 'der Verlust eines Großkunden',
  liquidity: 'ein Engpass der Kasse, für den die Kreditlinie gezogen wurde,',
};

export const germanDecisions = (formats: Formats, unit: TurnUnit): DecisionPhrases => {
  const { unsignedMoney: money } = formats;
  const compare = (difference: number): string =>
    money(difference) === money(0)
      ? 'gleich'
      : `um ${money(difference)} ${difference > 0 ? 'höher' : 'niedriger'}`;
  return {
    decision: (decision, isOnlyScenario) => {
      const { scenario, turn, worth, revenue, cash, solvency } = decision;
      const where = isOnlyScenario ? `Runde ${turn}` : `„${scenario}“, Runde ${turn}`;
      const withoutDecision = {
        rescue: 'Ohne sie wäre das Unternehmen am Ende zahlungsunfähig.',
        ruin: 'Ohne sie wäre das Unternehmen am Ende nicht zahlungsunfähig.',
        none:
          `Ohne sie wäre der Unternehmenswert ohne neues Eigenkapital am Ende ` +
          `${compare(-worth)}, der Jahresumsatz ${compare(-revenue)} und die Kasse ` +
          `${compare(-cash)}.`,
      }[solvency];
      const change = describeInGerman(decision, formats, unit);
      return `${where}: Entscheidung, ${change}. ${withoutDecision}`;
    },
    noDecisions: (hasInsolvent) =>
      hasInsolvent
        ? 'Keine einzelne Entscheidung änderte, wie es endete.'
        : 'Keine Entscheidung brachte das Unternehmen von seinem Kurs ab.',
  };
};

/** Returns the change of a lever as an infinitive phrase. */
export const describeInGerman = (
  { lever, value, defaultValue, wanted }: KeyDecision,
  formats: Formats,
  unit: TurnUnit,
): string => {
  const percent = formats.unsignedPercent(value);
  const money = formats.unsignedMoney(value);
  // Levers apply per quarter, also if a turn is a year.
  const each = unit === 'year' ? ' je Quartal' : '';
  const spending = (label: string): string =>
    `${label} von ${formats.percent(defaultValue)} auf ${percent} des Umsatzes zu ` +
    (value > defaultValue ? 'erhöhen' : 'senken');
  const phrases: Readonly<Record<LeverName, string>> = {
    priceChange:
      `die Preise über die Inflation hinaus um ${percent}${each} zu ` +
      (value > 0 ? 'erhöhen' : 'senken'),
    marketingPct: spending('das Marketing'),
    rdPct: spending('Forschung und Entwicklung'),
    capexPct: spending('die Investitionen'),
    headcountChange:
      `die Belegschaft um ${percent}${each} zu ` + (value > 0 ? 'vergrößern' : 'verkleinern'),
    raiseEquity: `Eigenkapital von ${money}${each} aufzunehmen`,
    debtChange:
      value > 0
        ? `Kredit von ${money}${each} aufzunehmen`
        : `Schulden von ${money}${each} zu tilgen`,
    newMarketEntry: 'in einen weiteren Markt einzutreten',
    costProgram: `die Gemeinkosten um ${percent}${each} zu senken`,
  };
  if (wanted === undefined || lever === 'newMarketEntry') return phrases[lever];
  const wantedText =
    lever === 'debtChange' ? formats.unsignedMoney(wanted) : formats.unsignedPercent(wanted);
  return `${phrases[lever]} (gewollt waren ${wantedText}, mehr war nicht bezahlbar)`;
};
