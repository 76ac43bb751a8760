import { answerMessageWith, answerWith } from '@witan/testing';
import type { Script } from '@witan/testing';
import { nameDissent } from '../scripted-council.ts';

type Exchange = Parameters<Script>[0];

const PROPOSITIONS = [
  { id: 'i1', proposition: 'The company should double its prices next month.', weight: 1 },
  { id: 'i2', proposition: 'Present customers should keep their price for a year.', weight: 0.5 },
];

/** The answer and two stances of each council member, by name. */
const OPINIONS: Readonly<Record<string, { content: string; stances: [number, number] }>> = {
  Finance: {
    content: 'Doubling carries us through the year even if a third of the customers leave.',
    stances: [0.6, 0.5],
  },
  Product: {
    content: 'The last two releases earn a rise, but not this one, and not for those who stayed.',
    stances: [-0.4, 1],
  },
  Sceptic: {
    content: 'Nobody has asked a customer. Raise the price for new ones first, and look.',
    stances: [-0.8, 1],
  },
};

const MARKET = {
  marketSize: {
    value: 690_000_000,
    unit: 'revenue per year',
    currency: 'EUR',
    year: 2024,
    region: 'Germany',
    cagrPct: 6,
    low: 600_000_000,
    high: 780_000_000,
    method: 'top_down',
    confidence: 0.4,
  },
  trends: ['Barista blends grow faster than the rest', 'Own brands of supermarkets gain'],
  competitors: [{ name: 'An own brand', positioning: 'Price', estimatedSharePct: 25 }],
  recommendations: [
    { title: 'Begin with cafes', rationale: 'They decide by taste', priority: 'high' },
  ],
};

const FACTS = {
  facts: [{ category: 'company', key: 'headquarters', value: 'Oslo', confidence: 0.95 }],
};

/**
 * Phrases with the answer to prompts that contain them. The first phrase of the list that a prompt
 * contains determines its answer.
 */
const ANSWERS: readonly (readonly [phrase: string, answer: object])[] = [
  ['Frame the question as yes/no propositions.', { issues: PROPOSITIONS }],
  ['competitors', MARKET],
  ['how plainly the text states the fact', FACTS],
];

const PLAIN =
  'Hire one person now, for the queue that costs you customers, and look again in spring.';

/**
 * Answers the model calls that `takeTour` causes with texts that are meaningful examples for the
 * API reference.
 */
export const answerAsModels: Script = async (exchange) => {
  const text = JSON.stringify(exchange.request.parsed ?? {});
  const isMessages = exchange.request.path.includes('messages');
  if (isMessages) return await answerMessageWith({ content: PLAIN })(exchange);
  if (text.includes('Write the synthesis of this debate')) {
    const lines = text.replaceAll(String.raw`\n`, '\n');
    const content = `New customers can pay more; present ones stay. ${nameDissent(lines)}`;
    const openQuestions = ['How many customers would leave at twice the price?'];
    return await answerJson(exchange, { content, openQuestions });
  }
  const known = ANSWERS.find(([phrase]) => text.includes(phrase));
  if (known) return await answerJson(exchange, known[1]);
  const name = /You are (\w+), an adviser/.exec(text)?.[1] ?? '';
  if (!text.includes('stances')) return await answerWith({ content: PLAIN })(exchange);
  const { content, stances } = OPINIONS[name] ?? OPINIONS.Sceptic!;
  return await answerJson(exchange, {
    content,
    conclusion: content,
    stances: stances.map((stance, at) => ({ issue: `i${at + 1}`, stance, confidence: 0.8 })),
    keyPoints: [{ issue: 'i1', point: content }],
    changeReason: null,
    wouldChangeMind: 'An interview with ten customers.',
    levers: { priceChange: 5, marketingPct: 12 },
  });
};

const answerJson = (exchange: Exchange, answer: object): Promise<void> =>
  answerWith({ content: JSON.stringify(answer) })(exchange);
