import type { TurnUnit } from '../../engine/engine.ts';
import type { Outlook, ScenarioStory } from '../scenario-story.ts';
import type { Cost } from '../scenario-history.ts';
import {
  describeInGerman,
  joinGerman,
  quoteGerman,
  toGermanEvent,
  toRounds,
} from './german-terms.ts';
import { isMeaningful } from './phrases.ts';
import type { Formats, AdvicePhrases, RiskKind, RiskPhrases, Remedy } from './phrases.ts';

const COST_WORDS: Readonly<Record<Cost, string>> = {
  directCosts: 'die direkten Kosten',
  wages: 'die Löhne',
  marketing: 'das Marketing',
  rd: 'Forschung und Entwicklung',
  overhead: 'die Gemeinkosten',
};

type Sentence = readonly [verb: string, predicate: string];

/**
 * Returns a sentence such as "In „Boom“ gibt das Unternehmen ..." or, for a single scenario, "Das
 * Unternehmen gibt ...".
 */
const aboutCompany = (name: string, [verb, predicate]: Sentence): string =>
  name === ''
    ? `Das Unternehmen ${verb} ${predicate}`
    : `In „${name}“ ${verb} das Unternehmen ${predicate}`;

export const germanRisks = (formats: Formats): RiskPhrases => {
  const risks: Risks = { ...cashRisks(formats), ...businessRisks(formats) };
  return {
    risk: (kind, name, story) => aboutCompany(name, risks[kind](story)),
    alsoIn: (names) => ` Ebenso in ${joinGerman(names.map(quoteGerman))}.`,
    noRisk: (name, lowestCash) =>
      'Dem Unternehmen ging nie das Geld aus; im engsten Moment hatte es ' +
      formats.unsignedMoney(lowestCash) +
      (name === '' ? '' : `, in „${name}“`) +
      '. Eine härtere Welt als die gespielte wurde nicht versucht.',
  };
};

type Risks = Readonly<Record<RiskKind, (story: ScenarioStory) => Sentence>>;

const cashRisks = ({ format, unsignedMoney: money, percent }: Formats) => {
  const zero = format(0, 'money');
  const isCashExhausted = ({ median }: Outlook): boolean => money(median) === zero;
  const toCash = (value: number): string =>
    money(value) === zero ? 'nichts in der Kasse' : `${money(value)} in der Kasse`;
  return {
    insolvent: ({ insolvent }) => [
      'kann',
      `seit ${format(insolvent!.insolventSince!, 'turn')} nicht zahlen, was es schuldet.`,
    ],
    runway: ({ cashFlow, cash, runway }) => [
      'gibt',
      `im Monat ${money(cashFlow.end)} mehr aus, als es einnimmt` +
        (money(cash.end) === zero
          ? ', und hat kein Geld mehr.'
          : `: Seine Kasse reicht ${format(runway!, 'months')}.`),
    ],
    turned: ({ cashFlow }) => [
      'nahm',
      `am Anfang im Monat ${money(cashFlow.start)} mehr ein, als es ausgab; am Ende gibt es ` +
        `${money(cashFlow.end)} mehr aus, als es einnimmt.`,
    ],
    outlook: ({ outlook, cash }) => [
      'hätte',
      'nach einem weiteren Jahr mit seinen letzten Entscheidungen nach der mittleren ' +
        'Prognose ' +
        toCash(outlook!.median) +
        (isCashExhausted(outlook!)
          ? ''
          : `, nach einer schlechten ${toCash(outlook!.fifthPercentile)}`) +
        '; jetzt ' +
        `sind es ${money(cash.end)}` +
        (outlook!.insolvencyPct > 0
          ? `. In ${percent(outlook!.insolvencyPct)} der Prognosen wird es in diesem Jahr ` +
            'zahlungsunfähig.'
          : '.'),
    ],
    drain: ({ cashFlow, runway }) => [
      'gibt',
      `im Monat ${money(cashFlow.end)} mehr aus, als es einnimmt; seine Kasse reicht ` +
        `${format(runway!, 'months')}.`,
    ],
  } satisfies Partial<Risks>;
};

const businessRisks = ({ format, unsignedMoney: money, percent }: Formats) =>
  ({
    loss: ({ margin, ebitda }) => [
      'macht',
      'vor Zinsen und Steuern Verlust: ' +
        (isMeaningful(margin.end)
          ? `Die EBITDA-Marge ist ${percent(margin.end)}.`
          : `Das EBITDA ist ${format(ebitda, 'money')} im Jahr.`),
    ],
    margin: ({ margin, cost }) => [
      'behält',
      `weniger von dem, was es verkauft: Die EBITDA-Marge ging von ${percent(margin.start)} ` +
        `auf ${percent(margin.end)}` +
        (cost
          ? `, während ${COST_WORDS[cost.name]} von ${percent(cost.start)} auf ` +
            `${percent(cost.end)} des Umsatzes gingen.`
          : '.'),
    ],
    inflationOnly: ({ revenue, realRevenue }) => [
      'wächst',
      `nur mit der Inflation: Zu den Preisen des Anfangs ging der Umsatz pro Jahr von ` +
        `${money(revenue.start)} auf ${money(realRevenue)}.`,
    ],
    share: ({ share }) => [
      'verliert',
      `Boden: Sein Marktanteil sank von ${percent(share.start)} auf ${percent(share.end)}.`,
    ],
    unserved: ({ unserved }) => ['kann', `${percent(unserved)} der Nachfrage nicht bedienen.`],
    recovered: ({ insolvent }) => [
      'war',
      `in ${format(insolvent!.turn, 'turn')} zahlungsunfähig und erholte sich.`,
    ],
    events: ({ events }) => {
      const { code, label, turns } = events.findLast(({ impact }) => impact === 'high')!;
      return [
        'ist',
        `gegen Schocks nicht geschützt: ${toGermanEvent(code, label)} in ${toRounds(turns)} ` +
          'traf es hart.',
      ];
    },
  }) satisfies Partial<Risks>;

const withName = (name: string, advice: string): string =>
  name === '' ? advice : `Für „${name}“: ${advice}`;

const toRemedies = ({
  format,
  unsignedMoney: money,
  unsignedPercent: percent,
}: Formats): Readonly<Record<Remedy, (story: ScenarioStory) => string>> => ({
  closeGap: ({ cashFlow, cash }) =>
    `Die Lücke von ${money(cashFlow.end)} im Monat schließen oder Geld beschaffen, bevor ` +
    `die Kasse leer ist: Ein Jahr kostet so ${money(cashFlow.end * 12)}, und ` +
    `${money(cash.end)} sind noch da.`,
  marketing: ({ spending }) =>
    'Mehr für Marketing ausgeben, um Marktanteil zurückzugewinnen: Es liegt bei ' +
    `${percent(spending.marketing)} des Umsatzes, üblich in der Branche sind ` +
    `${percent(spending.usualMarketing)}.`,
  research: ({ spending }) =>
    'Mehr für Forschung und Entwicklung ausgeben, um Marktanteil zurückzugewinnen: Sie ' +
    `liegt bei ${percent(spending.rd)} des Umsatzes, üblich in der Branche sind ` +
    `${percent(spending.usualRd)}.`,
  price: ({ priceGap }) =>
    'Die Preise denen der Wettbewerber wieder annähern, über denen sie um ' +
    `${percent(priceGap)} liegen: Das hat Marktanteil gekostet.`,
  capacity: ({ unserved }) =>
    `Einstellen oder investieren: ${percent(unserved)} der Nachfrage bleiben unbedient.`,
  restructure: () =>
    'Eigentümer finden, die neues Geld einzahlen, oder sich mit Gläubigern einigen, und ' +
    'Ausgaben kürzen: Was fällig ist, kann nicht gezahlt werden.',
  actEarlier: ({ lastSolvent }) =>
    'Die Zeit davor noch einmal durchspielen und früher Geld beschaffen oder Kosten senken: ' +
    (lastSolvent!.turn === 0 ? 'Am Anfang ' : `Nach ${format(lastSolvent!.turn, 'turn')} `) +
    `hatte es ${money(lastSolvent!.cash)} in der Kasse und gab im Monat ` +
    `${money(lastSolvent!.burn)} mehr aus, als es einnahm.`,
  reserve: ({ outlook }) =>
    'Jetzt vereinbaren, was zuerst gekürzt wird, wenn die Kasse ' +
    (money(outlook!.fifthPercentile) === money(0)
      ? 'knapp wird: Eine schlechte Prognose braucht sie binnen eines weiteren Jahres auf.'
      : `auf ${money(outlook!.fifthPercentile)} fällt, wo sie nach einer schlechten Prognose ` +
        'nach einem weiteren Jahr mit den letzten Entscheidungen steht.'),
  useCash: ({ outlook, cash }) =>
    'Entscheiden, wofür die Kasse da ist: Mit den letzten Entscheidungen steigt sie auch nach ' +
    `einer schlechten Prognose binnen eines Jahres von ${money(cash.end)} auf ` +
    `${money(outlook!.fifthPercentile)}.`,
  cost: ({ cost }) =>
    `Als Erstes ${COST_WORDS[cost!.name]} prüfen: Bei ${percent(cost!.end)} des Umsatzes, ` +
    `nach ${percent(cost!.start)} in der ersten Runde, ist keine andere Kostenart mehr ` +
    'gewachsen.',
});

export const germanAdvice = (formats: Formats, unit: TurnUnit): AdvicePhrases => {
  const { turn: toTurn, unsignedMoney: money } = formats;
  const turnOf = (turn: number, scenario: string, isOnly: boolean): string =>
    `in ${toTurn(turn)}${isOnly ? '' : ` von „${scenario}“`}`;
  const remedies = toRemedies(formats);
  return {
    remedy: (kind, name, story) => withName(name, remedies[kind](story)),
    repeat: (decision, isOnly) =>
      'Auf dem aufbauen, was am meisten half: die Entscheidung ' +
      `${turnOf(decision.turn, decision.scenario, isOnly)}, ` +
      `${describeInGerman(decision, formats, unit)}; ` +
      (decision.solvency === 'rescue'
        ? 'ohne sie wäre es am Ende zahlungsunfähig.'
        : `am Ende brachte sie ${money(decision.worth)} an Unternehmenswert.`),
    avoid: (decision, isOnly) =>
      'Nicht ohne Not wiederholen, was am meisten kostete: die Entscheidung ' +
      `${turnOf(decision.turn, decision.scenario, isOnly)}, ` +
      `${describeInGerman(decision, formats, unit)}; ` +
      (decision.solvency === 'ruin'
        ? 'ohne sie wäre es am Ende nicht zahlungsunfähig.'
        : `am Ende nahm sie ${money(decision.worth)} an Unternehmenswert.`),
    decide: () =>
      'Dem Unternehmen einen Rat geben, der entscheidet: Wo keiner da war, hielt es nur Kurs.',
    prepare: (worst, best) =>
      `Auf „${worst.name}“ vorbereitet sein, wo das Unternehmen ` +
      (worst.insolventSince === undefined
        ? `${money(best.worth - worst.worth)} weniger wert ist als in „${best.name}“`
        : `ab ${toTurn(worst.insolventSince)} nicht zahlen kann`) +
      ', und vereinbaren, woran man es früh erkennt.',
    branch: () =>
      'Einen Zweig durchspielen, in dem das Unternehmen eines ändert, etwa seine Preise oder ' +
      'sein Marketing: Hier wurde nichts entschieden, dessen Wirkung messbar wäre.',
    playMoreTurns: () =>
      'Daneben eine härtere und eine leichtere Welt durchspielen, bevor etwas darauf gebaut wird.',
  };
};
