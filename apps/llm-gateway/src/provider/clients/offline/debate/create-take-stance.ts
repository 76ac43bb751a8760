import { createHash } from 'node:crypto';
import { splitTerms } from '../split-terms.ts';
import { type Concern, CONCERNS, CAUTION, AMBITION, RESTRAINT, type Attitude } from './concerns.ts';
import type { Persona } from './recognise-debate.ts';

export type Leaning = {
  /** One of -1, -0.5, 0.5 and 1; never 0, because the rules always choose a side. */
  readonly stance: number;
  /** From 0.5 to 0.95. */
  readonly confidence: number;
  /** Strength and direction of the stance, from -1 to 1. */
  readonly score: number;
  /** Deciding factor: a concern of the brief, its attitude, or a hash. */
  readonly grounds: 'concern' | 'attitude' | 'chance';
  readonly words: readonly string[];
  readonly because: string;
};

const CONCERN_SHARE = 0.9;
const ATTITUDE_SHARE = 0.7;
const HASH_SHARE = 0.45;
const CLEAR_THRESHOLD = 0.6;
/** Number by which the words of one attitude exceed those of the other for full weight. */
const ATTITUDE_WORDS = 4;
/** Number of words about a concern that a brief must have for the concern's full weight. */
const CONCERN_WORDS = 3;
const MAX_WORDS = 2;
const MAX_BRIEF_CHARACTERS = 8_000;

/**
 * Returns a function that takes a persona's stance on a proposition from the words of the brief and
 * of the proposition. A proposal that benefits the brief's concerns is supported, one that harms
 * them opposed; a cautious brief opposes, an ambitious one supports; a hash decides the rest.
 * Deterministic.
 */
export function createTakeStance({ name, brief }: Persona): (proposition: string) => Leaning {
  const own = wordsByTerm(`${brief.slice(0, MAX_BRIEF_CHARACTERS)} ${name}`);
  return (proposition) => takeStance(proposition, { own, key: `${name}\n${brief}` });
}

type Brief = { readonly own: ReadonlyMap<string, string>; readonly key: string };

function takeStance(proposition: string, { own, key }: Brief): Leaning {
  const terms = splitTerms(proposition);
  const proposed = terms.filter((term) => !RESTRAINT.has(term));
  // A proposal to wait with something counts as one against it.
  const direction = proposed.length < terms.length ? -1 : 1;
  const concerns = weighConcerns(own, proposed);
  const attitude = attitudeOf(own);
  const sum =
    concerns.reduce((total, { score }) => total + score, 0) * CONCERN_SHARE * direction +
    attitude * ATTITUDE_SHARE * direction +
    hashScore(`${key}\n${proposition}`) * HASH_SHARE;
  const score = Math.min(1, Math.max(-1, sum));
  const side = Math.sign(score) || 1;
  const { keywords, statement } = attitude < 0 ? CAUTION : AMBITION;
  const grounds: Grounds[] = [
    ...concerns.map(({ concern, score: groundScore }) => ({
      kind: 'concern' as const,
      keywords: concern.keywords,
      statement: groundScore > 0 ? concern.benefit : concern.harm,
      groundScore,
    })),
    { kind: 'attitude', keywords, statement, groundScore: attitude * ATTITUDE_SHARE },
  ];
  // Only grounds on the side of the stance can be its reason.
  const [strongest] = grounds
    .filter(({ groundScore }) => Math.sign(groundScore * direction) === side)
    .toSorted((one, other) => Math.abs(other.groundScore) - Math.abs(one.groundScore));
  return {
    stance: side * (Math.abs(score) >= CLEAR_THRESHOLD ? 1 : 0.5),
    confidence: Math.round((0.5 + 0.45 * Math.abs(score)) * 20) / 20,
    score,
    grounds: strongest?.kind ?? 'chance',
    words: strongest === undefined ? [] : wordsOf(own, strongest.keywords),
    because: strongest?.statement ?? '',
  };
}

type Grounds = Attitude & {
  readonly kind: 'concern' | 'attitude';
  readonly groundScore: number;
};

type Weighed = { readonly concern: Concern; readonly score: number; readonly weight: number };

function weighConcerns(
  own: ReadonlyMap<string, string>,
  proposed: readonly string[],
): readonly Weighed[] {
  const keywords = CONCERNS.map((concern) => ({
    concern,
    count: [...concern.keywords].filter((term) => own.has(term)).length,
  }));
  const maxCount = Math.max(1, ...keywords.map(({ count }) => count));
  return keywords.flatMap(({ concern, count }) => {
    const benefit = proposed.filter((term) => concern.favours.has(term)).length;
    const harm = proposed.filter((term) => concern.opposes.has(term)).length;
    if (benefit === harm || count === 0) return [];
    // The most frequent concern of a brief weighs most, unless the brief hardly mentions it.
    const weight = (count / maxCount) ** 2 * Math.min(1, count / CONCERN_WORDS);
    return [{ concern, weight, score: Math.sign(benefit - harm) * weight }];
  });
}

/** Returns the attitude of a brief, from -1 (cautious) to 1 (ambitious). */
function attitudeOf(own: ReadonlyMap<string, string>): number {
  const count = ({ keywords }: Attitude): number =>
    [...keywords].filter((term) => own.has(term)).length;
  return Math.min(1, Math.max(-1, (count(AMBITION) - count(CAUTION)) / ATTITUDE_WORDS));
}

function wordsByTerm(text: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const word of text.match(/[\p{L}\p{M}]+/gu) ?? []) {
    for (const term of splitTerms(word)) {
      if (!words.has(term)) words.set(term, word.toLowerCase());
    }
  }
  return words;
}

function wordsOf(own: ReadonlyMap<string, string>, terms: ReadonlySet<string>): string[] {
  return [...terms].flatMap((term) => own.get(term) ?? []).slice(0, MAX_WORDS);
}

/** Returns a deterministic number from -1 to 1 for a text. */
export function hashScore(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / (2 ** 31 - 0.5) - 1;
}
