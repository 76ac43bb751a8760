import type { TurnUnit } from '../../engine/engine.ts';
import type { ScenarioStory } from '../scenario-story.ts';
import type { FormatNumber } from '../create-format-number.ts';
import { germanAdvice, germanRisks } from './german-advice.ts';
import {
  germanDecisions,
  joinGerman,
  quoteGerman,
  toGermanEvent,
  toRounds,
} from './german-terms.ts';
import { isSimilar, isMeaningful } from './phrases.ts';
import type { Formats, ScenarioPhrases, Phrases } from './phrases.ts';

export const createGerman = (formats: Formats, currency: string, unit: TurnUnit): Phrases => ({
  ...germanTime(formats, currency),
  ...germanScenario(formats),
  ...germanEnd(formats),
  ...germanComparison(formats),
  ...germanRisks(formats),
  ...germanAdvice(formats, unit),
  ...germanDecisions(formats, unit),
});

const UNITS: Readonly<Record<TurnUnit, string>> = { quarter: 'einem Quartal', year: 'einem Jahr' };

const germanTime = ({ format, turn }: Formats, currency: string) =>
  ({
    played: ({ turns, unit, scenarios }) =>
      `Das Unternehmen wurde über ${format(turns, 'turns')} von ${turns === 1 ? '' : 'je '}` +
      `${UNITS[unit]} durchgespielt` +
      (scenarios === 1 ? '.' : `, in ${format(scenarios, 'scenarios')}.`),
    noProvider: () =>
      'Regeln haben diesen Bericht ohne Modell geschrieben, weil kein Anbieter von Modellen ' +
      'eingerichtet ist; ein Rat ohne Modell ändert nichts.',
    money: (hasInsolvent) =>
      `Geldbeträge sind in ${currency === '' ? 'der Währung des Unternehmens' : currency} ` +
      'und nominal, also zu den Preisen ihrer Zeit. Der Unternehmenswert ist das in der Branche ' +
      'übliche Vielfache des Umsatzes, zuzüglich Kasse, abzüglich Schulden.' +
      (hasInsolvent ? ' Ein zahlungsunfähiges Unternehmen hat keinen.' : ''),
    paused: ({ name, pausedTurns, turns }) =>
      `${name === '' ? 'Es' : quoteGerman(name)} pausierte in ${toRounds(pausedTurns)} und ` +
      `spielte so ${format(turns, 'turns')}.`,
    joined: ({ name, turn: first }) =>
      `${quoteGerman(name)} wurde zuerst in ${turn(first)} gespielt.`,
    undecided: ({ names, turns, isAlways }) => {
      const where = names.length === 0 ? '' : `In ${joinGerman(names.map(quoteGerman))} `;
      const subject = isAlways
        ? 'entschied nie ein Rat'
        : `entschied in ${format(turns, 'turns')} kein Rat`;
      return `${where === '' ? 'Es ' : where}${subject}: Das Unternehmen hielt seinen Kurs.`;
    },
  }) satisfies Partial<ScenarioPhrases>;

const germanScenario = ({ format, money, percent, turn }: Formats) =>
  ({
    revenue: (name, story) => {
      const { start, end } = story.revenue;
      const isUnchanged = money(start) === money(end);
      const [verb, predicate] = describeChange(money(start), money(end), end > start);
      const subject =
        name === '' ? `Der Umsatz pro Jahr ${verb}` : `${inName(name, verb)} der Umsatz pro Jahr`;
      return `${subject} ${predicate}${isUnchanged ? '' : toCause(story, format)}.`;
    },
    turningPoint: ({ kind, value, turn: turnNumber }) =>
      kind === 'peak'
        ? `In ${turn(turnNumber)} hatte er ${money(value)} erreicht.`
        : `In ${turn(turnNumber)} hatte er nur bei ${money(value)} gelegen.`,
    realRevenue: ({ inflation, realRevenue }) =>
      `Die Preise allgemein ${inflation.whole < 0 ? 'fielen' : 'stiegen'} um ` +
      `${percent(Math.abs(inflation.whole))}: Zu den Preisen des Anfangs lag der Umsatz pro Jahr ` +
      `am Ende bei ${money(realRevenue)}.`,
    events: (events, where) =>
      `${where === 'everywhere' ? 'In allen Szenarien' : 'Dabei'} traf das Unternehmen ` +
      `${joinGerman(
        events.map(
          ({ code, label, impact, turns }) =>
            `${toGermanEvent(code, label)} in ${toRounds(turns)} (${IMPACTS[impact]} Wirkung)`,
        ),
      )}.`,
    cash: ({ cash, equity }) => {
      const [verb, predicate] = describeChange(
        money(cash.start),
        money(cash.end),
        cash.end > cash.start,
      );
      const paid =
        equity.amount > 0
          ? ` In ${toRounds(equity.turns)} zahlten Eigentümer ${money(equity.amount)} neues ` +
            'Eigenkapital ein; verdient ist das nicht.'
          : '';
      return `Die Kasse ${verb} ${predicate}${toLowest(cash, format)}.${paid}`;
    },
  }) satisfies Partial<ScenarioPhrases>;

const germanEnd = ({ format, money, percent, turn }: Formats) =>
  ({
    end: ({ people, share, margin, ebitda }) =>
      `Am Ende stehen ${format(people, 'people')}, ein Marktanteil von ${percent(share.end)} und ` +
      (isMeaningful(margin.end)
        ? `eine EBITDA-Marge von ${percent(margin.end)}` +
          (isMeaningful(margin.start) ? `, nach ${percent(margin.start)} am Anfang.` : '.')
        : `ein EBITDA von ${money(ebitda)} im Jahr.`),
    cuts: (turns) =>
      `In ${toRounds(turns)} konnte es nicht zahlen, was es ausgeben wollte; die Ausgaben wurden ` +
      'gekürzt.',
    insolvent: ({ turn: turnNumber, insolventSince, solventSince }) => {
      const began = `In ${turn(turnNumber)} wurde es zahlungsunfähig`;
      if (solventSince !== undefined) {
        const recovered =
          solventSince === turnNumber ? 'noch vor deren Ende' : `ab ${turn(solventSince)}`;
        return `${began}, verlor unbezahlte Beschäftigte und konnte ${recovered} wieder zahlen.`;
      }
      const since = insolventSince!;
      return (
        began +
        (since === turnNumber
          ? '.'
          : `, konnte wieder zahlen und kann es seit ${turn(since)} nicht mehr.`) +
        ' Bis zum Ende konnte es nicht zahlen: Wer nicht bezahlt wird, geht, und den Eigentümern ' +
        'bleibt nichts.'
      );
    },
    undescribed: (names) => `Hier nicht beschrieben: ${joinGerman(names.map(quoteGerman))}.`,
  }) satisfies Partial<ScenarioPhrases>;

const germanComparison = ({ format, money, turn }: Formats) =>
  ({
    compared: ({ turns, isEqual, ranked, omitted }) => {
      const solvent = ranked.filter(({ insolventSince }) => insolventSince === undefined);
      const insolvent = ranked.filter(({ insolventSince }) => insolventSince !== undefined);
      const time = isEqual ? '' : `nach ${format(turns, 'turns')}, die alle gespielt haben, `;
      const omission =
        omitted.length === 0
          ? ''
          : ` Nicht vergleichbar, weil später begonnen: ${joinGerman(omitted.map(quoteGerman))}.`;
      const [best, worst] = [solvent[0], solvent.at(-1)];
      const cannotPay = joinGerman(
        insolvent.map(
          ({ name, insolventSince }) => `in ${quoteGerman(name)} seit ${turn(insolventSince!)}`,
        ),
      );
      if (!best || !worst) {
        const subject = isEqual ? 'In allen Szenarien kann' : `Verglichen ${time}kann`;
        return `${subject} das Unternehmen nicht zahlen, was fällig ist: ${cannotPay}.${omission}`;
      }
      const basis =
        `Verglichen ${time}nach dem Unternehmenswert ohne neues Eigenkapital und zu den Preisen ` +
        'des Anfangs, ';
      const end = insolvent.length === 0 ? '' : `; nicht zahlen kann es ${cannotPay}`;
      const bestText = `in ${quoteGerman(best.name)} am besten da, mit ${money(best.worth)}`;
      if (best === worst) return `${basis}steht das Unternehmen ${bestText}${end}.${omission}`;
      if (isSimilar(best.worth, worst.worth)) {
        return (
          `${basis}unterscheiden sich die Szenarien` +
          `${insolvent.length === 0 ? '' : ', in denen es zahlen kann,'} kaum: ` +
          `${money(worst.worth)} in ${quoteGerman(worst.name)} und ${money(best.worth)} in ` +
          `${quoteGerman(best.name)}${end}.${omission}`
        );
      }
      return (
        `${basis}steht das Unternehmen ${bestText}, und in ${quoteGerman(worst.name)} ` +
        `${insolvent.length === 0 ? 'am schlechtesten' : 'schlechter'}, mit ` +
        `${money(worst.worth)}${end}.${omission}`
      );
    },
    notCompared: () =>
      'Die Szenarien werden nicht verglichen: Es gibt keine Zeit, die alle gespielt haben.',
  }) satisfies Partial<ScenarioPhrases>;

const inName = (name: string, verb: string): string => `In ${quoteGerman(name)} ${verb}`;

const describeChange = (
  from: string,
  to: string,
  isRise: boolean,
): readonly [verb: string, predicate: string] =>
  from === to ? ['blieb', `bei ${to}`] : [isRise ? 'stieg' : 'sank', `von ${from} auf ${to}`];

const toLowest = ({ start, end, lowest }: ScenarioStory['cash'], format: FormatNumber): string => {
  const [low, from, to] = [lowest.value, start, end].map((value) => format(value, 'money'));
  if (low === from) return to === from ? '' : ' und lag nie unter ihrem Anfang';
  if (low === to) return ', ihren tiefsten Stand';
  return `; am tiefsten stand sie in ${format(lowest.turn, 'turn')} mit ${low}`;
};

const toCause = ({ cause, ...story }: ScenarioStory, format: FormatNumber): string => {
  if (!cause) return '';
  const { driver, change, hasEntered } = cause;
  const changeText = format(Math.abs(change), 'percent');
  const isRise = change > 0;
  if (driver === 'prices') return ', vor allem mit den Preisen allgemein';
  const reasons: Readonly<Record<Exclude<typeof driver, 'prices'>, string>> = {
    ownPrice:
      `es seine Preise gegenüber Wettbewerbern um ${changeText} ` + (isRise ? 'erhöhte' : 'senkte'),
    market:
      `sein Markt um ${changeText} ${isRise ? 'wuchs' : 'schrumpfte'}` +
      (isRise && hasEntered ? ', einschließlich eines weiteren, in den es eintrat' : ''),
    share:
      `sein Marktanteil von ${format(story.share.start, 'percent')} auf ` +
      `${format(story.share.end, 'percent')} ${isRise ? 'stieg' : 'sank'}` +
      toShareCause({ cause, ...story }, format),
    served: `es ${isRise ? 'mehr' : 'weniger'} von der Nachfrage bediente als zuvor`,
  };
  return `, vor allem weil ${reasons[driver]}`;
};

const toShareCause = ({ shareCause, spending }: ScenarioStory, format: FormatNumber): string => {
  if (!shareCause) return '';
  const { driver, isUp: isRise } = shareCause;
  const comparedWithUsual = (label: string, actualSpending: number, usual: number): string =>
    actualSpending > usual === isRise && actualSpending !== usual
      ? ` (${label} zuletzt ${format(actualSpending, 'percent')} des Umsatzes, üblich sind ` +
        `${format(usual, 'percent')})`
      : '';
  return {
    brand:
      `: Die Marke wurde ${isRise ? 'stärker' : 'schwächer'}` +
      comparedWithUsual('Marketing', spending.marketing, spending.usualMarketing),
    quality:
      `: Die Produkte ${isRise ? 'gewannen Vorsprung' : 'fielen zurück'}` +
      comparedWithUsual('Forschung und Entwicklung', spending.rd, spending.usualRd),
    price: `: Seine Preise ${isRise ? 'fielen' : 'stiegen'} gegenüber denen der Wettbewerber`,
    chance: ', mehr durch Ereignisse und Zufall als durch eigenes Handeln',
  }[driver];
};

const IMPACTS = { low: 'geringe', medium: 'mittlere', high: 'hohe' } as const;
