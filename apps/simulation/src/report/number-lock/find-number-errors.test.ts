import { describe, expect, it } from '@jest/globals';
import type { ReportFigure, FigureUnit } from '../create-format-number.ts';
import { findNumberErrors } from './find-number-errors.ts';
import { normalizeProse } from './split-tokens.ts';

const figure = (value: number, unit: FigureUnit, text: string, isChange = false): ReportFigure => ({
  scenario: 'Base',
  label: 'a fact',
  value,
  unit,
  isChange,
  text,
});

const FIGURES = [
  figure(2_134_567, 'money', '2.13 million'),
  figure(-480_120, 'money', '-480 thousand'),
  figure(12.345, 'percent', '12.3 %', true),
  figure(-7.25, 'percent', '-7.3 %', true),
  figure(0.43, 'percent', '0.43 %'),
  figure(1.84, 'multiple', '1.84x'),
  figure(7.5, 'months', '7.5 months'),
  figure(52, 'people', '52 people'),
  figure(99.5, 'price', '99.50'),
  ...[1, 2, 3, 4].map((turn) => figure(turn, 'turn', `turn ${turn}`)),
  figure(4, 'turns', '4 turns'),
  figure(2, 'scenarios', '2 scenarios'),
];
const NUMBER_LOCK = {
  figures: FIGURES,
  names: ['Recession 2026', 'Plan B2', '900'],
  language: 'en' as const,
};

const errorsOf = (text: string) =>
  findNumberErrors(normalizeProse(text), NUMBER_LOCK).map(({ text: errorTexts }) => errorTexts);

describe('the number lock', () => {
  it.each([
    'The company has two problems, and neither is new.',
    'The board should review its plan in 12 months.',
    'Over the next two years the company should stay with its plan.',
    'Ask a dozen people who left why they did.',
    'A dozen people could tell why.',
    'To know the risk is half the battle.',
    'A lower price is double-edged.',
    'The recession was a once-in-a-decade event.',
    'Whether to hire is a 50-50 call, a fifty-fifty one.',
    'There are three reasons for caution and two clear risks.',
    'It needs a five-year plan and a 90-day review.',
    'Meet every three months, and look at cash first.',
    'Take it in two small steps, and think twice before the second.',
    'Look again within six months.',
    'Both paths are open; on the one hand growth, on the other hand safety.',
    'The answer is twofold, and it cuts both ways.',
    'These are two sides of the same coin, and a zero-sum game.',
    'Double-check the two key decisions; half-measures and half-hearted cuts do not help.',
    'The board will review the plan in six months.',
  ])('accepts a sentence whose number is no figure: %s', (sentence) => {
    expect(errorsOf(sentence)).toEqual([]);
  });

  it.each([
    'The company has a dozen people.',
    'A dozen people quit in turn 3.',
    'Cash lasts for the next 12 months.',
    'Within six weeks the cash will be gone.',
    'In 18 months it breaks even and sales fell.',
    'Over the next ten months revenue would rise.',
    'It lost three customers and hired six engineers.',
    'Half of the customers left.',
    'Revenue doubled twice over.',
    'Three percent risks remain.',
    'Two million reasons speak for it.',
  ])('rejects a sentence whose number is an invented figure: %s', (sentence) => {
    expect(errorsOf(sentence)).not.toEqual([]);
  });

  it.each([
    'Das Unternehmen hat zwei Probleme, und beide sind nicht neu.',
    'Das ist die halbe Miete, aber zweischneidig.',
    'Den Plan in 12 Monaten überprüfen.',
    'In den nächsten zwei Jahren sollte der Rat vorsichtig bleiben.',
    'Alle drei Monate die Kasse ansehen.',
  ])('accepts a German sentence whose number is no figure: %s', (sentence) => {
    const lock = { ...NUMBER_LOCK, language: 'de' as const };
    expect(findNumberErrors(normalizeProse(sentence), lock)).toEqual([]);
  });

  it.each([
    'Die Kasse reicht in den nächsten 12 Monaten.',
    'Das Unternehmen beschäftigt ein Dutzend Leute.',
    'Drei Kunden gingen.',
  ])('rejects a German sentence whose number is an invented figure: %s', (sentence) => {
    const lock = { ...NUMBER_LOCK, language: 'de' as const };
    expect(findNumberErrors(normalizeProse(sentence), lock)).not.toEqual([]);
  });

  it.each([
    ['as displayed', 'Revenue reached 2.13 million.'],
    ['rounded further', 'Revenue reached about 2.1 million.'],
    ['with a currency', 'Revenue reached $2.1 million, or US$2.1m, or EUR 2.13m, or €2,134,567.'],
    ['with another magnitude', 'Revenue of 2,135k, of 2134.6 thousand, or of 0.00213 bn.'],
    ['in full', 'Revenue was 2,134,567; 2 134 567; 2’134’567; 2.134.567 or 2134567.'],
    ['with trailing zeros', 'Revenue was 2,130,000.'],
    ['with a decimal comma', 'Revenue was 2,13 million.'],
    ['in scientific form', 'Revenue was 2.13e6.'],
    ['in words', 'Revenue was two point one million.'],
    ['negative', 'Cash ended at -480 thousand, minus 480k, or −$480,120.'],
    ['a decline, without its sign', 'Margins fell by 7.25 %, that is 7.3 percent.'],
    ['in percent', 'It grew 12.3%, 12.345 %, 12 percent, 12 per cent or 12.3 percentage points.'],
    ['in basis points', 'The gap is 43 basis points, or 43 bps.'],
    ['as a range', 'Changes of 7.3 to 12.3 percent, 7.3–12.3 %.'],
    ['as a multiple', 'Revenue is 1.84x, 1.8 times or 1.8-fold of what it was.'],
    ['of people', 'The company has 52 employees, fifty-two people in all.'],
    ['before an unrelated noun', 'Cash was 2.13 million in turn 3, and -480 thousand a year.'],
    ['of months', 'Cash lasts 7.5 months; a 7.5-month runway.'],
    ['of turns', 'In turn 3, in Q2 and in the 4th quarter, four turns in all; turns 2, 3 and 4.'],
    ['of scenarios', 'The two scenarios differ. Both of the 2 active scenarios grew.'],
    ['no amount', 'One of the risks is that no one buys. A third party might, in the second half.'],
    ['of a name', 'In Recession 2026 and in Plan B2 the B2B market shrank.'],
    ['of a name that is a number, in quotes', 'In “900” and in "900" the market shrank.'],
    ['small', 'Churn is 0.43 %.'],
    ['in full-width digits', 'Revenue was ２.１３ million.'],
    ['behind an enumerator', '1. Keep 52 people.'],
  ])('accepts an amount that matches a figure: %s', (_, text) => {
    expect(errorsOf(text)).toEqual([]);
  });

  it.each([
    ['invented', 'Revenue grew 900 %.', '900 %'],
    ['invented, without a space', 'Revenue grew 900%.', '900%'],
    ['in words', 'Revenue grew nine hundred percent.', 'nine hundred percent'],
    ['a multiple', 'Revenue is up 9x.', '9x'],
    ['a multiple in words', 'Revenue is up nine-fold.', 'nine-fold'],
    ['a multiple in one word', 'Revenue tripled.', 'tripled'],
    ['doubled', 'Revenue doubled and costs halved.', 'doubled'],
    ['a magnitude', 'Revenue reached 2.1 billion.', '2.1 billion'],
    ['another magnitude', 'Revenue reached 2.1k.', '2.1k'],
    ['a bare number', 'Revenue reached 2.1.', '2.1'],
    ['rounded too far', 'Revenue reached 2 million.', '2 million'],
    ['percent for money', 'Cash grew 2,134,567 %.', '2,134,567 %'],
    ['money for percent', 'A cost of $12.3.', '$12.3'],
    ['people for percent', 'It grew 52 %.', '52 %'],
    ['a figure for a turn', 'Profit was 3.', '3'],
    ['an unknown turn', 'In turn 5 prices rose.', '5'],
    ['a year', 'By 2027 it will be solid.', '2027'],
    ['a sign', 'Growth was -12.3 %.', '-12.3 %'],
    ['a part', 'Half of the revenue is at risk.', 'Half'],
    ['a part in words', 'Two thirds of customers stay.', 'Two thirds'],
    ['half an amount', 'It costs half a billion.', 'half a billion'],
    ['an amount with "a"', 'It costs a million dollars.', 'a million'],
    ['a vague amount', 'It has hundreds of customers.', 'hundreds'],
    ['separated digits', 'Revenue grew 9 0 0 %.', '9 0 0 %'],
    ['digits with invisible characters', 'Revenue grew 9\u200b0\u200b0 %.', '900 %'],
    ['keycaps', 'Revenue grew 9\ufe0f\u20e30\ufe0f\u20e30\ufe0f\u20e3 %.', '900 %'],
    ['circled digits', 'Revenue grew ⑨⓪⓪ %.', '900 %'],
    ['mathematical digits', 'Revenue grew 𝟗𝟎𝟎 %.', '900 %'],
    ['a fraction', 'Profit is ½ of it.', '1⁄2'],
    ['a ratio', 'A 9:1 advantage.', '9:1'],
    ['an ordinal', 'The 900th customer.', '900th'],
    ['a name that is a number', 'Revenue grew 900 percent.', '900 percent'],
    ['a name with a unit', 'Revenue grew “900” percent.', 'percent'],
    ['a lakh', 'Revenue of 9 lakh.', '9 lakh'],
    ['a range', 'Between 800 and 900 percent.', '800'],
    ['a multiple by a rare word', 'Revenue octupled and costs were septupled.', 'octupled'],
    ['a hyphenated part', 'Two-thirds left, and a third more will.', 'Two-thirds'],
    ['the ordinal of an unknown turn', 'In the ninth turn prices rose.', 'ninth'],
  ])('finds an amount that matches no figure: %s', (_, text, errorTexts) => {
    expect(errorsOf(text).join(' | ')).toContain(errorTexts);
  });

  it.each([
    ['digits of other scripts', 'Revenue grew ٩٠٠ %.'],
    ['Roman numeral characters', 'Revenue grew ↀ times.'],
    ['other scripts', 'Revenue grew 九百 percent.'],
    ['letters among digits', 'Revenue grew 9OO %.'],
    ['digits among letters', 'Revenue grew l00 %.'],
    ['digits after letters', 'Revenue grew R900.'],
    ['a percent sign alone', 'Revenue grew by many %.'],
    ['percent alone', 'Revenue grew by many percent.'],
    ['German', 'Revenue grew neunhundert Prozent.'],
    ['Spanish', 'Revenue grew novecientos porciento.'],
    ['double digits', 'Revenue saw double-digit growth.'],
    ['triple figures', 'Revenue saw three-figure growth.'],
    ['a version', 'Revenue grew 1.2.3.'],
    ['an entity', 'Revenue grew &#57;00.'],
    ['an escape', String.raw`Revenue grew \u0039\u0030.`],
    ['a power', 'Revenue grew 10^3.'],
    ['an order of magnitude', 'Revenue grew by an order of magnitude.'],
    ['scores', 'It won scores of customers.'],
    ['a decade', 'It has cash for a decade.'],
    ['tens', 'Growth was in the nineties, or ninetyish.'],
  ])('finds an unreadable amount: %s', (_, text) => {
    expect(errorsOf(text)).not.toEqual([]);
  });

  it.each([
    ['a decline described as growth', 'Revenue grew by 7.3 %.', 'wrong direction'],
    ['growth described as a decline', 'Revenue fell by 12.3 %.', 'wrong direction'],
    ['a loss that reads as a gain', 'EBITDA came to 480 thousand.', 'without its sign'],
    ['a loss described as a gain', 'A profit of 480 thousand.', 'without its sign'],
  ])('finds %s', (_, text, reason) => {
    expect(findNumberErrors(normalizeProse(text), NUMBER_LOCK)).toMatchObject([{ reason }]);
  });

  it.each([
    'Revenue grew by 12.3 % while margins fell by 7.3 %.',
    'Growth slowed to -7.3 %.',
    'Price cuts let revenue grow by 12.3 %.',
    'The company loses 480 thousand a year.',
    'EBITDA is a loss of 480 thousand; it was negative at 480 thousand.',
    'In the second turn and in the first quarter, the third party and the convergence scores.',
  ])('accepts a correct or open direction: %s', (text) => {
    expect(errorsOf(text)).toEqual([]);
  });
});

describe('the number lock in German', () => {
  const GERMAN_FIGURES = [
    figure(2_134_567, 'money', '2,13 Millionen'),
    figure(-480_120, 'money', '-480 Tausend'),
    figure(7_100_000_000, 'money', '7,1 Milliarden'),
    figure(12.345, 'percent', '12,3 %', true),
    figure(-7.25, 'percent', '-7,3 %', true),
    figure(1.2, 'points', '1,2 Prozentpunkte', true),
    figure(1.84, 'multiple', '1,84-fach'),
    figure(7.5, 'months', '7,5 Monate'),
    figure(52, 'people', '52 Beschäftigte'),
    ...[1, 2, 3, 4].map((turn) => figure(turn, 'turn', `Runde ${turn}`)),
    figure(4, 'turns', '4 Runden'),
  ];
  const german = { figures: GERMAN_FIGURES, names: ['Plan 2030'], language: 'de' as const };
  const errorsIn = (text: string) => findNumberErrors(normalizeProse(text), german);

  it.each([
    'Der Umsatz erreichte 2,13 Millionen EUR, also 2,1 Mio. Euro oder 2.134.567 Euro.',
    'Die Kasse lag bei minus 480 Tausend, ein Fehlbetrag von 480.000.',
    'Der Markt ist 7,1 Milliarden groß.',
    'Der Umsatz stieg um 12,3 %, 12,3 Prozent; die Marge sank um 7,3 %.',
    'Der Anteil wuchs um 1,2 Prozentpunkte.',
    'Das ist das 1,84-fache.',
    'Die Kasse reicht 7,5 Monate; es sind 52 Mitarbeiter.',
    'In Runde 3 und in den Runden 2 und 4, in 4 Runden insgesamt.',
    'Im „Plan 2030“ sollte man auf Kosten achten; ohne Zweifel ist das einfach und einzig richtig.',
    'Das erste Ziel wird deshalb innerhalb des Jahres erreicht, auch für ein Unternehmen.',
  ])('accepts amounts that match figures: %s', (text) => {
    expect(errorsIn(text)).toEqual([]);
  });

  it.each([
    'Der Umsatz wuchs um 900 %.',
    'Der Umsatz wuchs um neunhundert Prozent.',
    'Der Umsatz wuchs um dreiundzwanzig Prozent.',
    'Der Umsatz verdoppelte sich.',
    'Der Umsatz hat sich verdreifacht.',
    'Die Hälfte der Kunden ging verloren.',
    'Ein Drittel der Kunden ging.',
    'Es kamen Dutzende Kunden.',
    'Es kamen Hunderttausende.',
    'Es kamen Millionen Kunden.',
    'Der Umsatz liegt bei 2,13 Billionen.',
    'Der Umsatz liegt bei 2,13 Tausend.',
    'Ein zweistelliges Wachstum.',
    'Ein zehnprozentiges Wachstum.',
    'Anderthalb Jahre reicht das Geld.',
    'Das Geld reicht zweieinhalb Jahre.',
    'In der dritten Runde stiegen die Preise.',
    'In Runde 9 stiegen die Preise.',
    'Bis 2030 ist alles gut.',
    'Zwölf Monate reicht das Geld.',
    'Das Geld reicht 12 Monate.',
    'Revenue grew nine hundred percent.',
    'Der Umsatz wuchs um neuf cents.',
    'Der Umsatz wuchs um 九百 Prozent.',
    'Der Umsatz wuchs um 9\u200b0\u200b0 %.',
    'Es gab null Verluste.',
  ])('finds amounts that match no figure: %s', (text) => {
    expect(errorsIn(text)).not.toEqual([]);
  });

  it.each([
    ['Der Umsatz sank um 12,3 %.', 'wrong direction'],
    ['Die Marge stieg um 7,3 %.', 'wrong direction'],
    ['Das Ergebnis betrug 480 Tausend.', 'without its sign'],
  ])('finds a wrong direction: %s', (text, reason) => {
    expect(errorsIn(text)).toMatchObject([{ reason }]);
  });
});
