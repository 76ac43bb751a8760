import { isRecord } from '../is-record.ts';

export type ListedIssue = { readonly id: string; readonly proposition: string };

/** A number that the prompt asks the member to set; `about` is its name and description. */
export type ListedLever = {
  readonly name: string;
  readonly about: string;
  readonly min: number;
  readonly max: number;
  readonly usual: number;
};

export type OwnAnswer = {
  readonly stances: ReadonlyMap<string, { readonly stance: number; readonly confidence: number }>;
  readonly levers: ReadonlyMap<string, number>;
};

const MAX_LISTED = 20;
const MAX_CHARACTERS = 1_000;
/**
 * Matches an issue line with the id that the prompt gives the issue: `[i1] ...`, `[growth] ...`.
 */
const ISSUE = /^\[(?<id>[a-z]\w{0,31})\] (?<proposition>.+)$/gmu;
const NUMBER = String.raw`-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const LEVER = new RegExp(
  String.raw`^lever (?<name>[^:\n]{1,100}): (?<min>${NUMBER})\.\.(?<max>${NUMBER}), ` +
    String.raw`default (?<usual>${NUMBER})(?: \((?<what>.*)\))?$`,
  'gmu',
);

export function readIssues(task: string): ListedIssue[] {
  const issues = new Map<string, ListedIssue>();
  for (const { groups } of takeFirst(task.matchAll(ISSUE))) {
    const { id = '', proposition = '' } = groups!;
    const text = proposition.slice(0, MAX_CHARACTERS).trim();
    // A proposition that consists only of punctuation stays unchanged.
    issues.set(id, { id, proposition: text.replace(/[.!?？。]+$/u, '') || text });
  }
  return [...issues.values()];
}

export function readLevers(task: string): ListedLever[] {
  return [...takeFirst(task.matchAll(LEVER))].map(({ groups }) => ({
    name: groups!['name']!,
    about: `${groups!['name']!} ${groups!['what'] ?? ''}`,
    min: Number(groups!['min']),
    max: Number(groups!['max']),
    usual: Number(groups!['usual']),
  }));
}

export function readOwnAnswer(json: string): OwnAnswer | undefined {
  if (json === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined; // Truncated or not JSON: the member answers as in the first round.
  }
  const { stances, levers } = isRecord(value) ? value : {};
  const listed = (Array.isArray(stances) ? stances : []).filter((one) => isRecord(one));
  return {
    stances: new Map(
      listed.map(({ issue, stance, confidence }) => [
        String(issue),
        { stance: Number(stance) || 0, confidence: Number(confidence) || 0 },
      ]),
    ),
    levers: new Map(
      Object.entries(isRecord(levers) ? levers : {}).map(([name, number]) => [
        name,
        Number(number),
      ]),
    ),
  };
}

/**
 * Returns the key points of the other members, or their positions if there are none, in prompt
 * order.
 */
export function readOthersPoints(others: string): string[] {
  const lines = others.split('\n').map((line) => line.trim());
  const points = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
  const listed = lines.flatMap((line) => /^[A-Z]\d*: (.+)$/u.exec(line)?.[1] ?? []);
  return (points.length > 0 ? points : listed).slice(0, MAX_LISTED);
}

function* takeFirst<T>(found: Iterable<T>): Generator<T> {
  let remaining = MAX_LISTED;
  for (const one of found) {
    if (remaining-- === 0) return;
    yield one;
  }
}
