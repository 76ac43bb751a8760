import { describe, expect, it } from '@jest/globals';
import { frameQuestion } from './frame-question.ts';

const frame = (question: string): string[] =>
  frameQuestion(question).map(({ proposition }) => proposition);

describe('frameQuestion', () => {
  it('states the question, its cost and whether it can wait', () => {
    expect(frameQuestion('Sales fell. Should we raise prices by 10%?')).toEqual([
      { id: 'i1', proposition: 'We should raise prices by 10%', weight: 1 },
      { id: 'i2', proposition: 'It is worth the cost to raise prices by 10%', weight: 0.5 },
      { id: 'i3', proposition: 'It is better to wait than to raise prices by 10%', weight: 0.5 },
    ]);
  });

  it.each([
    ['Should we expand or hire?', ['We should expand', 'We should hire']],
    [
      'Shall the company raise a round, cut staff or sell?',
      ['The company shall raise a round', 'The company shall cut staff', 'The company shall sell'],
    ],
    ['Should we hire a cook now, or wait until spring?', ['We should hire a cook now']],
    ['Should we wait or sell?', ['We should wait', 'We should sell']],
    ['Should we launch in May or in June?', ['We should launch in May or in June']],
    ['Could we hire, say, a cook?', ['We could hire, say, a cook']],
    ['Should we sell? Must we move?', ['We should sell', 'We must move']],
    ['Should we sell? Should we sell?', ['We should sell']],
  ])('finds the propositions in %j', (question, statements) => {
    const propositions = frame(question);
    expect(propositions.slice(0, -2)).toEqual(statements);
    expect(propositions.length).toBeLessThanOrEqual(5);
  });

  it.each([
    ['What colour should the new logo be?', 'what colour the new logo should be'],
    ['How can we grow faster?', 'how we can grow faster'],
    ['How much should the logo cost?', 'how much the logo should cost'],
    ['What do our customers want?', 'what our customers want'],
    ['Why are we losing customers?', 'why we are losing customers'],
    ['What is our runway?', 'what our runway is'],
    ['Are we too slow?', 'whether we are too slow'],
    ['Do customers pay in time?', 'whether customers pay in time'],
  ])('turns the open question %j into whether to settle it', (question, clause) => {
    expect(frame(question)).toEqual([
      `It should be settled now ${clause}`,
      `It is worth money and time to find out ${clause}`,
    ]);
  });

  it.each([
    ['We plan to move.', '“We plan to move” is the right course'],
    [
      'Sollen wir die Preise erhöhen?',
      'The question “Sollen wir die Preise erhöhen” should be settled now',
    ],
    ['価格を上げますか？', 'The question “価格を上げますか” should be settled now'],
    [
      'How much of what the old press prints would the new one spoil?',
      'The question “How much of what the old press prints would the new one spoil” should be ' +
        'settled now',
    ],
  ])('quotes %j once', (question, proposition) => {
    expect(frame(question)).toEqual([proposition]);
  });

  it.each(['', '???', '---'])('finds no proposition in %j', (question) => {
    expect(frame(question)).toEqual([]);
  });

  it('clips long texts and has no duplicate propositions', () => {
    const propositions = frame(`Should we ${'very '.repeat(2_000)}often win?`);
    expect(new Set(propositions).size).toBe(propositions.length);
    for (const proposition of propositions) expect(proposition.length).toBeLessThan(220);
  });
});
