import { describe, expect, it } from '@jest/globals';
import { chooseIssues } from './choose-issues.ts';

const choose = (question: string, ...texts: string[]): string[] =>
  chooseIssues(
    texts.map((proposition) => ({ proposition, weight: 1 })),
    question,
  ).map(({ proposition }) => proposition);

describe('chooseIssues', () => {
  it.each([
    ['Should we hire now?', 'We should hire now.'],
    ['We have cash. Shall we open a shop in Lyon?', 'We should open a shop in Lyon.'],
    ['Should our bakery start home delivery?', 'Should our bakery start home delivery?'],
    ['Should we buy the firm, or wait for a year?', 'We should buy the firm.'],
    ['Sollen wir eine Filiale öffnen?', 'Wir sollten eine Filiale öffnen.'],
    ['¿Debemos subir los precios?', 'Debemos subir los precios.'],
    ['Devons-nous ouvrir un magasin ?', 'Nous devrions ouvrir un magasin.'],
    ['Faut-il ouvrir un magasin ?', 'Il faut ouvrir un magasin.'],
  ])('puts the decision of %j first if a model gives considerations only', (question, decision) => {
    expect(choose(question, 'Rents fell by a tenth.')).toEqual([
      decision,
      'Rents fell by a tenth.',
    ]);
  });

  it('moves the decision of the model to the front, and numbers the issues', () => {
    const propositions = [
      { proposition: 'Rents fell by a tenth.', weight: 2 },
      { proposition: 'We should open a shop.', weight: 3 },
    ];
    expect(chooseIssues(propositions, 'Shall we open a shop?')).toEqual([
      { id: 'i1', proposition: 'We should open a shop.', weight: 3 },
      { id: 'i2', proposition: 'Rents fell by a tenth.', weight: 2 },
    ]);
  });

  const PRICES =
    'Deberíamos subir los precios un quince por ciento, aunque un cliente da el cuarenta por ' +
    'ciento de los ingresos?';

  it('words the decision as a statement, where a model gives a phrase', () => {
    expect(choose(PRICES, 'subir los precios un quince por ciento')).toEqual([
      'Deberíamos subir los precios un quince por ciento.',
    ]);
    expect(choose('Should we hire two people?', 'Hire two people')).toEqual([
      'We should hire two people.',
    ]);
  });

  it.each([
    ['of a clause', PRICES, 'Un cliente da el cuarenta por ciento de los ingresos.'],
    [
      'of a sentence',
      'We have nine months of cash. Should we hire?',
      'We have nine months of cash',
    ],
    ['of an apposition', 'Should our bakery with six employees deliver?', 'It has six employees.'],
    ['before a comma', 'Although rents fell by a tenth, should we move?', 'Rents fell by a tenth.'],
  ])('does not put a given fact to the vote: %s', (_what, question, fact) => {
    expect(choose(question, fact)).toHaveLength(1);
    expect(choose(question, fact)).not.toContain(fact);
  });

  it.each([
    '¿Cuánto es el cuarenta por ciento de los ingresos?',
    'How much is it?',
    'Wie hoch ist der Anteil?',
    'Pourquoi maintenant ?',
  ])('does not put to the vote what one cannot be for or against: %s', (open) => {
    expect(choose(PRICES, open, 'Is it too early?')).toEqual([
      'Deberíamos subir los precios un quince por ciento.',
      'Is it too early?',
    ]);
    expect(choose('How big is it?', open)).toEqual([]);
  });

  it('puts alternatives of the question to the vote', () => {
    const question = 'We lose customers. Should we hire now, or first reduce the churn?';
    expect(choose(question, 'We should hire now.', 'First reduce the churn.')).toEqual([
      'We should hire now.',
      'First reduce the churn.',
    ]);
  });

  it('takes linear time for a long text that asks nothing', () => {
    expect(choose('a'.repeat(2 ** 20), 'It grows.')).toEqual(['It grows.']);
  });

  it('leaves the propositions of a question that asks for no decision', () => {
    expect(choose('How big is the market?', 'It grows.', 'It is small.')).toEqual([
      'It grows.',
      'It is small.',
    ]);
  });

  it.each([
    [
      'with other filler',
      'It pays to ask the large client first.',
      'It pays to ask our large client first of all.',
    ],
    ['that is the opposite', 'We should open a shop.', 'We should not open a shop.'],
    ['with other punctuation', 'We should open a shop', 'We should open a shop!'],
  ])('counts a view once: %s', (_what, one, other) => {
    expect(choose('Shall we open a shop?', 'We should open a shop.', one, other)).not.toContain(
      other,
    );
  });

  it.each([
    ['another number', 'We should raise prices by 5 %.', 'We should raise prices by 10 %.'],
    [
      'another word of the question',
      'We should move the large sales team to Berlin next year.',
      'We should move the large support team to Berlin next year.',
    ],
    ['few common words', 'We should open a shop.', 'We should close a factory.'],
  ])('keeps real alternatives: %s', (_what, one, other) => {
    const question = 'Which of the sales team and the support team moves?';
    expect(choose(question, one, other)).toEqual([one, other]);
  });

  it('returns at most five, and none if there are none', () => {
    const many = ['One is red.', 'Two is big.', 'Three is new.', 'Four is old.', 'Five is far.'];
    expect(choose('Should we go?', ...many)).toEqual(['We should go.', ...many.slice(0, 4)]);
    expect(choose('Should we go?')).toEqual([]);
  });
});
