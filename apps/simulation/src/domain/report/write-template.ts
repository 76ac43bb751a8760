import type { TurnUnit } from '../engine/engine.ts';
import type { Comparison } from './compare-courses.ts';
import type { CourseStory, StoryEvent } from './course-story.ts';
import type { KeyDecision } from './key-decisions.ts';
import type { Phrases } from './phrases/phrases.ts';
import type { Prose } from './prose.ts';
import { toAdvice, toRisks } from './write-advice.ts';

export type TemplateSource = {
  turns: number;
  turnUnit: TurnUnit;
  stories: readonly (CourseStory & { people: number })[];
  comparison: Comparison | undefined;
  decisions: readonly KeyDecision[];
};

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
    phrases.money(),
    ...stories.flatMap((story) => describeTime(isOnly ? '' : story.name, story, phrases)),
    ...describeHeld(stories, phrases),
    ...(shared.length === 0 ? [] : [phrases.events(shared, 'everywhere')]),
  ];
  const selected = selectCourses(stories, comparison);
  const courses = selected.map((story) =>
    describeCourse(story, { isOnly, shared }, phrases).join(' '),
  );
  const closing = comparison
    ? [comparison.ranked.length < 2 ? phrases.notCompared() : phrases.compared(comparison)]
    : [];
  return [opening.join(' '), ...courses, ...closing].join('\n\n');
};

const describeTime = (name: string, story: CourseStory, phrases: Phrases): string[] => {
  const { pausedTurns, joinedTurn, turns } = story;
  return [
    ...(joinedTurn === undefined ? [] : [phrases.joined({ name: story.name, turn: joinedTurn })]),
    ...(pausedTurns.length === 0 ? [] : [phrases.paused({ name, pausedTurns, turns })]),
  ];
};

const describeHeld = (stories: readonly CourseStory[], phrases: Phrases): string[] => {
  const held = stories.filter(({ heldTurns }) => heldTurns > 0);
  const kinds = Map.groupBy(held, ({ heldTurns, turns }) => `${heldTurns} ${heldTurns === turns}`);
  return [...kinds.values()].map((group) => {
    const { heldTurns, turns } = group[0]!;
    const names = stories.length === 1 ? [] : group.map(({ name }) => name);
    return phrases.held({ names, turns: heldTurns, isAlways: heldTurns === turns });
  });
};

const COURSES_MAX = 4;

const selectCourses = <Story extends CourseStory>(
  stories: readonly Story[],
  comparison: Comparison | undefined,
): readonly Story[] => {
  if (stories.length <= COURSES_MAX) return stories;
  const ranked = comparison?.ranked ?? [];
  const ends = [ranked[0]?.name, ranked.at(-1)?.name];
  return stories.filter(({ name }, index) => index === 0 || ends.includes(name));
};

const TURNING_MIN = 0.03;

const describeCourse = (
  story: CourseStory & { people: number },
  { isOnly, shared }: { isOnly: boolean; shared: readonly StoryEvent[] },
  phrases: Phrases,
): string[] => {
  const events = story.events.filter((event) => !shared.some((one) => isSame(one, event)));
  const point = findTurningPoint(story.revenue);
  return [
    phrases.revenue(isOnly ? '' : story.name, story),
    ...(point ? [phrases.turningPoint(point)] : []),
    ...(Math.abs(story.inflation.whole) < INFLATION_MIN ? [] : [phrases.real(story)]),
    ...(events.length === 0 ? [] : [phrases.events(events, 'here')]),
    phrases.cash(story),
    phrases.end(story),
    ...(story.insolvent ? [phrases.insolvent(story.insolvent)] : []),
  ];
};

const INFLATION_MIN = 0.5;

const findTurningPoint = ({ start, end, highest, lowest }: CourseStory['revenue']) => {
  const most = Math.max(start, end) * (1 + TURNING_MIN);
  if (highest.value > most) return { kind: 'peak' as const, ...highest };
  const least = Math.min(start, end) * (1 - TURNING_MIN);
  return lowest.value < least ? { kind: 'trough' as const, ...lowest } : undefined;
};

/**
 * Returns the events of all scenarios, which are described once because scenarios share random
 * numbers.
 */
const sharedEvents = (stories: readonly CourseStory[]): readonly StoryEvent[] =>
  stories[0]!.events.filter((event) =>
    stories.every(({ events }) => events.some((other) => isSame(event, other))),
  );

const isSame = (one: StoryEvent, other: StoryEvent): boolean =>
  one.code === other.code && one.impact === other.impact && one.turns.join() === other.turns.join();
