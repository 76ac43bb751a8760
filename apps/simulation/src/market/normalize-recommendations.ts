import { toObjects } from './reading-context.ts';
import type { ReadingContext } from './reading-context.ts';
import { toPriority } from './market-analysis.ts';
import type { Recommendation } from './market-analysis.ts';

const WORDS_LENGTH_MAX = 200;
const POINTS_MAX = 8;

export const normalizeRecommendations = (
  parsed: unknown,
  { textReader, budget }: ReadingContext,
): Recommendation[] =>
  toObjects(parsed)
    .flatMap((item) => {
      const title = textReader.read(item['title'], WORDS_LENGTH_MAX);
      if (title === null) return [];
      const recommendation: Recommendation = {
        title,
        rationale: textReader.read(item['rationale']),
        priority: toPriority(item['priority']),
        effort: textReader.read(item['effort'], WORDS_LENGTH_MAX),
        impact: textReader.read(item['impact'], WORDS_LENGTH_MAX),
        timeframe: textReader.read(item['timeframe'], WORDS_LENGTH_MAX),
        risks: textReader.readList(item['risks'], POINTS_MAX),
        kpis: textReader.readList(item['kpis'], POINTS_MAX),
      };
      return [recommendation];
    })
    .slice(0, budget.recommendations);
