import { describe, expect, it } from '@jest/globals';
import { estimateTokens } from '../../prompt/estimate-tokens.ts';
import { makeIssue } from '../../../test/divided-council.ts';
import { prepareAnswer } from './prepare-answer.ts';

/** Largest prompt of a debate beside question, documents and the answers of the others. */
const TOKENS_MAX = 900;
const NOW = new Date('2026-11-22T10:00:00Z');

/** A persona of the length of those in docs/tour.md, and a little longer. */
const AGENT = {
  ...{ id: 'agt_1', slug: 'finance', name: 'Finance', role: 'Chief financial officer' },
  systemPrompt:
    'You are the chief financial officer of a company of 24 people. You know the books, the bank ' +
    'and the covenants, and you look at every proposal from the side of cash, margin and risk. ' +
    'You ask for the figure behind a claim, and you say what a proposal costs in months of cash.',
  personality: 'Calm, exact and frank; never dramatic.',
  mission: 'Keep the company able to pay its people and its debts in any year.',
  decisionStyle: 'Figures first, then the worst case, then the view of those who do the work.',
  ...{ model: 'gpt-test', createdAt: NOW, updatedAt: NOW },
};
const PROPOSITIONS = [
  'We should raise our prices by a tenth for new customers in January.',
  'Present customers should keep their price for a year after the change.',
  'The churn that a rise causes costs less than what the rise brings in.',
  'We should hire two sales people before the prices are raised.',
  'Cash lasts for long enough to wait for another quarter with the rise.',
];
const LEVERS = Array.from({ length: 9 }, (_, index) => ({
  name: `leverNumber${index}`,
  description: 'Change of the spending on this, in percent of revenue for a quarter.',
  ...{ min: -10, max: 40.5, defaultValue: 12.5 },
}));

const prepare = (issueCount: number, levers: typeof LEVERS = []): string => {
  const issues = PROPOSITIONS.slice(0, issueCount).map((text, at) => makeIssue(`i${at + 1}`, text));
  const { prompt } = prepareAnswer({
    member: { agent: AGENT, memories: [], passages: [] },
    task: { issues, levers, agentCount: 5, decision: issues[0] },
    ...{ question: 'Shall we?', briefing: '', earlier: [], others: '', now: NOW },
    ...{ contextTokens: 128_000, ratio: 1, isStreamed: false },
  });
  return prompt.system.join('\n\n');
};

describe('the prompt of an answer', () => {
  it.each([1, 3, 5])('stays within its budget with %d propositions', (count) => {
    expect(estimateTokens(prepare(count))).toBeLessThanOrEqual(TOKENS_MAX);
  });

  it('has each proposition and each lever once', () => {
    const text = prepare(3, LEVERS.slice(0, 2));
    for (const repeated of [...PROPOSITIONS.slice(0, 3), 'leverNumber1 (now 12.5): Change of']) {
      expect(text.split(repeated)).toHaveLength(2);
    }
  });

  it('has no default that a weak model could copy as its vote', () => {
    expect(prepare(3)).not.toMatch(/"default"/u);
  });
});
