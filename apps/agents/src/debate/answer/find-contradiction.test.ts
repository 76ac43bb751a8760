import { describe, expect, it } from '@jest/globals';
import { makeIssue } from '../../../test/divided-council.ts';
import { findContradiction } from './find-contradiction.ts';

const ENGLISH = 'We should raise our prices.';
const GERMAN = 'Wir sollten die Preise erhöhen.';
const SPANISH = 'Debemos subir los precios.';
const FRENCH = 'Nous devrions augmenter les prix.';

const find = (text: string, { stance = 1, proposition = ENGLISH } = {}) =>
  findContradiction(
    { content: text, position: '', stances: [{ issueId: 'i1', stance, confidence: 0.9 }] },
    makeIssue('i1', proposition),
  );

describe('findContradiction', () => {
  it.each([
    ['No, it is too early.', 'against', 1, ENGLISH],
    ['No. Customers would leave.', 'against', 0.5, ENGLISH],
    ['I am clearly against it.', 'against', 0.5, ENGLISH],
    ['Against.', 'against', 1, ENGLISH],
    ['We should not raise our prices, because rivals would win.', 'against', 1, ENGLISH],
    ["We shouldn't raise prices.", 'against', 0, ENGLISH],
    ['We should raise our prices.', 'for', -1, ENGLISH],
    ['We should raise our prices instead of waiting for what does not come.', 'for', -1, ENGLISH],
    ['We should not raise our prices rather than lose customers.', 'against', 1, ENGLISH],
    ['Yes, and soon.', 'for', -0.5, ENGLISH],
    ['Raising our prices now would be counterproductive.', 'against', 0, ENGLISH],
    ['It would be a mistake to raise our prices, because we are small.', 'against', 1, ENGLISH],
    ['Raising our prices would be far too risky.', 'against', 0.5, ENGLISH],
    ['It is not feasible for us to raise our prices now.', 'against', 0, ENGLISH],
    ['Given our cash, raising our prices now is not recommended.', 'against', 0.5, ENGLISH],
    ['Raising our prices is not a good idea.', 'against', 0.5, ENGLISH],
    ['Raising our prices would be a very good idea.', 'for', 0, ENGLISH],
    ['I am for it.', 'for', 0, ENGLISH],
    ['Nein, das ist zu früh.', 'against', 1, GERMAN],
    ['Wir sollten die Preise jetzt nicht erhöhen.', 'against', 1, GERMAN],
    ['Wir sollten die Preise erhöhen.', 'for', -1, GERMAN],
    ['Ich bin dagegen.', 'against', 1, GERMAN],
    ['Jetzt die Preise zu erhöhen wäre kontraproduktiv.', 'against', 0, GERMAN],
    ['Es ist nicht sinnvoll, die Preise zu erhöhen.', 'against', 0, GERMAN],
    ['No debemos subir los precios.', 'against', 0.5, SPANISH],
    ['Sí, debemos subir los precios.', 'for', -1, SPANISH],
    ['Estoy en contra.', 'against', 1, SPANISH],
    ['Subir los precios sería un error.', 'against', 0, SPANISH],
    ['Subir los precios es una buena idea.', 'for', -1, SPANISH],
    ['Nous ne devrions pas augmenter les prix.', 'against', 1, FRENCH],
    ['Oui, tout de suite.', 'for', -1, FRENCH],
    ['Je suis contre.', 'against', 1, FRENCH],
    ['Augmenter les prix serait prématuré.', 'against', 0, FRENCH],
  ])('reads %j as %s', (statement, says, stance, proposition) => {
    const votes = { '-1': 'against', '-0.5': 'against', '0': 'undecided' }[String(stance)] ?? 'for';
    const found = find(statement, { stance, proposition });
    expect(found).toMatchObject({ issueId: 'i1', says, votes });
    expect(statement.startsWith(found!.statement)).toBe(true);
  });

  it.each([
    ['a statement that agrees', 'We should raise our prices.', 1],
    ['a denial that agrees', 'No, we should not raise our prices.', -1],
    ['a condition', 'We should raise our prices only if rivals do.', -1],
    ['something to be examined', 'We should consider whether to raise our prices.', -0.5],
    ['that something is possible', 'It is feasible to raise our prices.', -1],
    ['a judgement under a condition', 'If rivals wait, raising our prices is a mistake.', 1],
    ['a judgement of the contrary', 'Not raising our prices would be a mistake.', -1],
    ['a judgement that is denied', 'I would not say that raising our prices is a mistake.', 1],
    ['a view of something else', 'We should hire two people.', -1],
    ['an alternative first', 'Instead of raising our prices we should wait.', -1],
    ['a negative word of unclear reach', 'We should avoid raising our prices.', 1],
    ['a question', 'Should we raise our prices?', -1],
    ['a quotation', 'It rejects “We should raise our prices”.', -1],
    ['a word that only begins like no', 'No one asked for it.', 1],
    ['statements that disagree with each other', 'Yes. We should not raise our prices.', 1],
    ['a view after the first two sentences', 'It is hard. It takes time. I am for it.', -1],
  ])('ignores %s', (_what, text, stance) => {
    expect(find(text, { stance })).toBeUndefined();
  });

  it('ignores an agent without a stance on the decision', () => {
    const answer = { content: 'No.', position: '', stances: [] };
    expect(findContradiction(answer, makeIssue('i1', 'We should hire.'))).toBeUndefined();
  });

  it('reads conditions in the wording of the decision as its wording', () => {
    const proposition = 'We should accept a client that would be most of our revenue.';
    expect(find(proposition, { stance: -1, proposition })).toMatchObject({ says: 'for' });
  });

  it.each(['“', '„', '«', '"', '. ', 'I am '])('takes linear time for many of %j', (piece) => {
    expect(find(piece.repeat(2 ** 17 / piece.length))).toBeUndefined();
  });
});
