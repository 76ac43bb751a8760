import { clip } from '../compose-answer.ts';
import { readAnswerLimits } from '../cut-answer.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import { DISCLOSURE } from '../gather-sentences.ts';
import { newestMessages } from '../read-conversation.ts';
import { splitSentences } from '../split-sentences.ts';
import { findNamedCompetitors } from './find-named-competitors.ts';
import { RESEARCH_STEPS } from './research-steps.ts';

// Marker of market analysis prompts. It must equal the one in
// apps/simulation/src/market/describe-market-task.ts, because services do not import each
// other.
const MARKET_LINE = 'Analyse a market for the person who writes to you.';
const LIMITS_LINE = /\bAt most \d+ trends, \d+ competitors and (?<count>\d+) recommendations\b/u;

const MAX_READ_CHARACTERS = 8_000;
const MAX_FIGURES = 5;
const MAX_QUOTED_CHARACTERS = 300;

/**
 * Returns the JSON text for a market analysis; undefined for any other request. It has no market
 * data and states so: it uses the competitors and figures in the question, and lists how to find
 * the rest. Content is reduced to fit the token limit.
 */
export function answerMarket(request: unknown): string | undefined {
  const messages = newestMessages(request);
  const task = messages.find(({ role, text }) => role === 'system' && text.startsWith(MARKET_LINE));
  if (task === undefined) return undefined;
  const question = messages.find(({ role }) => role === 'user')?.text ?? '';
  const maxItems = Number(LIMITS_LINE.exec(task.text)?.groups?.['count'] ?? RESEARCH_STEPS.length);
  const { maxTokens } = readAnswerLimits(request);
  const read = question.slice(0, MAX_READ_CHARACTERS);
  const drafts = [maxItems, 3, 1, 0].map((count) => JSON.stringify(draft(read, count)));
  return drafts.find((text) => estimateTokens(text) <= maxTokens) ?? drafts.at(-1);
}

function draft(question: string, maxItems: number): object {
  return {
    marketSize: {
      description: `Not known. ${DISCLOSURE}: it knows no market, and makes up no figure.`,
      value: null,
      confidence: 0,
    },
    trends: [],
    competitors: findNamedCompetitors(question)
      .slice(0, maxItems)
      .map((name) => ({
        name,
        description: 'Named in the question; nothing else is known of it here.',
        confidence: 0,
      })),
    recommendations: RESEARCH_STEPS.slice(0, maxItems),
    assumptions: [...quoteFigures(question).slice(0, maxItems), SETUP_ADVICE],
  };
}

const SETUP_ADVICE =
  `${DISCLOSURE}: the recommendations are how to find out, whatever the market is. For an ` +
  'analysis by a model set OPENAI_API_KEY, or LOCAL_BASE_URL for a model runtime of your own, ' +
  'and start Witan again.';

function quoteFigures(question: string): string[] {
  return splitSentences(question)
    .filter((sentence) => /\d/u.test(sentence))
    .slice(0, MAX_FIGURES)
    .map((sentence) => `As the question says: “${clip(sentence, MAX_QUOTED_CHARACTERS)}”`);
}
