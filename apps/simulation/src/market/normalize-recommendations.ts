import { toObjects } from './reading-context.ts';
import type { ReadingContext } from './reading-context.ts';
import { toPriority } from './market-analysis.ts';
import type { Recommendation } from './market-analysis.ts';

const WORDS_LENGTH_MAX = 200;
const POINTS_MAX = 8;

export const normalizeRecommendations = (
  parsed: unknown,
  { texts, budget }: ReadingContext,
): Recommendation[] =>
  toObjects(parsed)
    .flatMap((item) => {
      const title = texts.read(item['title'], WORDS_LENGTH_MAX);
      if (title === null) return [];
      const recommendation: Recommendation = {
        title,
        rationale: texts.read(item['rationale']),
        priority: toPriority(item['priority']),
        effort: texts.read(item['effort'], WORDS_LENGTH_MAX),
        impact: texts.read(item['impact'], WORDS_LENGTH_MAX),
        timeframe: texts.read(item['timeframe'], WORDS_LENGTH_MAX),
        risks: texts.readList(item['risks'], POINTS_MAX),
        kpis: texts.readList(item['kpis'], POINTS_MAX),
      };
      return [recommendation];
    })
    .slice(0, budget.recommendations);
