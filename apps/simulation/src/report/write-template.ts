import type { Comparison } from './compare-scenarios.ts';
import type { ScenarioStory, StoryEvent } from './scenario-story.ts';
import type { Phrases } from './phrases/phrases.ts';
import type { Prose } from './describe-report-task.ts';
import { endsInsolvent, toAdvice, toRisks } from './write-advice.ts';
import type { TemplateSource } from './write-advice.ts';

export const writeTemplate = (source: TemplateSource, phrases: Phrases): Prose => ({
  summary: toSummary(source, phrases),
  risks: toRisks(source, phrases),
  recommendations: toAdvice(source, phrases),
});

const toSummary = (source: TemplateSource, phrases: Phrases): string => {
  const { turns, turnUnit, stories, comparison } = source;
  const isOnly = stories.length === 1;
  const shared = isOnly ? [] : sharedEvents(stories);
  const opening = [
    phrases.played({ turns, unit: turnUnit, scenarios: stories.length }),
    phrases.money(stories.some(endsInsolvent)),
    ...stories.flatMap((story) => describeTime(isOnly ? '' : story.name, story, phrases)),
    ...describeUndecided(stories, phrases),
    ...(shared.length === 0 ? [] : [phrases.events(shared, 'everywhere')]),
  ];
  const selected = selectStories(stories, comparison);
  const scenarioTexts = selected.map((story) =>
    describeScenario(story, { isOnly, shared }, phrases).join(' '),
  );
  const undescribed = stories.filter((story) => !selected.includes(story));
  const note =
    undescribed.length === 0 ? [] : [phrases.undescribed(undescribed.map(({ name }) => name))];
  const closing = comparison
    ? [comparison.ranked.length < 2 ? phrases.notCompared() : phrases.compared(comparison)]
    : [];
  return [opening.join(' '), ...scenarioTexts, ...note, ...closing].join('\n\n');
};

const describeTime = (name: string, story: ScenarioStory, phrases: Phrases): string[] => {
  const { pausedTurns, joinedTurn, turns } = story;
  return [
    ...(joinedTurn === undefined ? [] : [phrases.joined({ name: story.name, turn: joinedTurn })]),
    ...(pausedTurns.length === 0 ? [] : [phrases.paused({ name, pausedTurns, turns })]),
  ];
};

const describeUndecided = (stories: readonly ScenarioStory[], phrases: Phrases): string[] => {
  const undecided = stories.filter(({ undecidedTurns }) => undecidedTurns > 0);
  const groups = Map.groupBy(
    undecided,
    ({ undecidedTurns, turns }) => `${undecidedTurns} ${undecidedTurns === turns}`,
  );
  return [...groups.values()].map((group) => {
    const { undecidedTurns, turns } = group[0]!;
    const names = stories.length === 1 ? [] : group.map(({ name }) => name);
    return phrases.undecided({ names, turns: undecidedTurns, isAlways: undecidedTurns === turns });
  });
};

/** Number of scenarios up to which all are described. */
const STORIES_MAX = 4;

/** Returns all scenarios, or the first, the best and the worst if there are many. */
const selectStories = <Story extends ScenarioStory>(
  stories: readonly Story[],
  comparison: Comparison | undefined,
): readonly Story[] => {
  if (stories.length <= STORIES_MAX) return stories;
  const ranked = comparison?.ranked ?? [];
  const ends = [ranked[0]?.name, ranked.at(-1)?.name];
  return stories.filter(({ name }, index) => index === 0 || ends.includes(name));
};

const TURNING_POINT_MIN = 0.03;

const describeScenario = (
  story: ScenarioStory & { people: number },
  { isOnly, shared }: { isOnly: boolean; shared: readonly StoryEvent[] },
  phrases: Phrases,
): string[] => {
  const events = story.events.filter((event) => !shared.some((a) => isSame(a, event)));
  const point = findTurningPoint(story.revenue);
  return [
    phrases.revenue(isOnly ? '' : story.name, story),
    ...(point ? [phrases.turningPoint(point)] : []),
    ...(Math.abs(story.inflation.whole) < INFLATION_MIN ? [] : [phrases.realRevenue(story)]),
    ...(events.length === 0 ? [] : [phrases.events(events, 'here')]),
    phrases.cash(story),
    ...(story.cutTurns.length === 0 ? [] : [phrases.cuts(story.cutTurns)]),
    ...(story.insolvent ? [phrases.insolvent(story.insolvent)] : []),
    phrases.end(story),
  ];
};

const INFLATION_MIN = 0.5;

const findTurningPoint = ({ start, end, highest, lowest }: ScenarioStory['revenue']) => {
  const upperBound = Math.max(start, end) * (1 + TURNING_POINT_MIN);
  if (highest.value > upperBound) return { kind: 'peak' as const, ...highest };
  const lowerBound = Math.min(start, end) * (1 - TURNING_POINT_MIN);
  return lowest.value < lowerBound ? { kind: 'trough' as const, ...lowest } : undefined;
};

/**
 * Returns the events that every scenario has with the same impact in the same turns, so that they
 * are described once. They are common, because scenarios usually share random numbers.
 */
const sharedEvents = (stories: readonly ScenarioStory[]): readonly StoryEvent[] =>
  stories[0]!.events.filter((event) =>
    stories.every(({ events }) => events.some((b) => isSame(event, b))),
  );

const isSame = (a: StoryEvent, b: StoryEvent): boolean =>
  a.code === b.code && a.impact === b.impact && a.turns.join() === b.turns.join();
