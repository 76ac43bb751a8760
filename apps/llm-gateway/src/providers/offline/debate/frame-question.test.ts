import { describe, expect, it } from '@jest/globals';
import { frameQuestion } from './frame-question.ts';

const frame = (question: string): string[] =>
  frameQuestion(question).map(({ proposition }) => proposition);

describe('frameQuestion', () => {
  it('says what is asked, what it costs and whether it can wait', () => {
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
    ['We plan to move.', ['“We plan to move” calls for a change from what is done today']],
    [
      'Sollen wir die Preise erhöhen?',
      ['“Sollen wir die Preise erhöhen” calls for a change from what is done today'],
    ],
    ['価格を上げますか？', ['“価格を上げますか” calls for a change from what is done today']],
  ])('finds in %j what can be held', (question, statements) => {
    const propositions = frame(question);
    expect(propositions.slice(0, -2)).toEqual(statements);
    expect(propositions.length).toBeLessThanOrEqual(5);
  });

  it.each(['', '???', '---'])('finds nothing in %j', (question) => {
    expect(frame(question)).toEqual([]);
  });

  it('clips what is long, and says no proposition twice', () => {
    const propositions = frame(`Should we ${'very '.repeat(2_000)}often win?`);
    expect(new Set(propositions).size).toBe(propositions.length);
    for (const proposition of propositions) expect(proposition.length).toBeLessThan(220);
  });
});
