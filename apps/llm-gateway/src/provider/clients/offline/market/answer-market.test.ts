import { describe, expect, it } from '@jest/globals';
import { answerOffline } from '../answer-offline.ts';
import { DISCLOSURE } from '../gather-sentences.ts';
import { findNamedCompetitors } from './find-named-competitors.ts';

const task = (maxItems: number): string =>
  'Analyse a market for the person who writes to you.\n\nRules.\n\n' +
  `At most ${maxItems} trends, ${maxItems} competitors and ${maxItems} recommendations, best first.`;

const ask = (question: string, { maxItems = 5, maxTokens = 4_000 } = {}) => {
  const messages = [
    { role: 'system', content: task(maxItems) },
    { role: 'user', content: question },
  ];
  const { choices } = answerOffline({
    messages,
    max_tokens: maxTokens,
    response_format: { type: 'json_object' },
  });
  expect(choices[0]?.finish_reason).toBe('stop');
  return JSON.parse(choices[0]?.message.content ?? '') as {
    marketSize: { description: string; value: null };
    trends: string[];
    competitors: { name: string; confidence: number }[];
    recommendations: { title: string }[];
    assumptions: string[];
  };
};

describe('an offline market analysis', () => {
  it('uses only the question, and recommends how to find out the rest', () => {
    const analysis = ask(
      'How big is bread in Lyon? We sell 200 loaves a day. We compete with Acme.',
    );
    expect(analysis.marketSize).toMatchObject({
      description: expect.stringContaining(DISCLOSURE),
      value: null,
    });
    expect(analysis.trends).toEqual([]);
    expect(analysis.competitors).toMatchObject([{ name: 'Acme', confidence: 0 }]);
    expect(analysis.recommendations).toHaveLength(5);
    expect(analysis.assumptions).toEqual([
      'As the question says: “We sell 200 loaves a day.”',
      expect.stringContaining('OPENAI_API_KEY'),
    ]);
  });

  it.each([3, 8])('has %i recommendations if so many are requested', (maxItems) => {
    expect(ask('Bread?', { maxItems }).recommendations).toHaveLength(maxItems);
  });

  it('has fewer recommendations, none truncated, if the token limit is small', () => {
    const counts = [4_000, 500, 300].map(
      (maxTokens) => ask('Bread?', { maxItems: 8, maxTokens }).recommendations.length,
    );
    expect(counts).toEqual([8, 3, 1]);
  });

  it('answers the first question when it is retried with a correction', () => {
    const messages = [
      { role: 'system', content: task(3) },
      { role: 'user', content: 'Tea? 3 cups.' },
      { role: 'assistant', content: 'No.' },
      { role: 'user', content: 'Your last answer could not be used.' },
    ];
    expect(answerOffline({ messages }).choices[0]?.message.content).toContain('3 cups');
  });
});

describe('findNamedCompetitors', () => {
  it.each([
    ['Our competitors are Acme, Big Corp and 3M. They grow.', ['Acme', 'Big Corp', '3M']],
    ['Notion vs Coda?', ['Coda']],
    ['We compete with Acme, and with nobody else', ['Acme']],
    ['Alternatives to Slack for teams', ['Slack']],
    ['competitors: H&M, C&A, or Zara', ['H&M', 'C&A', 'Zara']],
    [
      'We compete with [[PERSON_ABC234]] and Big [[ORG_X]].',
      ['[[PERSON_ABC234]]', 'Big [[ORG_X]]'],
    ],
    ['Who are the competitors of bakeries? Versus what?', []],
    ['', []],
  ])('finds in %j the names %j', (question, names) => {
    expect(findNamedCompetitors(question)).toEqual(names);
  });
});
