import { createHash } from 'node:crypto';
import { splitTerms } from '../split-terms.ts';
import { type Concern, CONCERNS, CAUTION, DRIVE, RESTRAINT, type Temper } from './concerns.ts';
import type { Persona } from './recognise-debate.ts';

/** A persona's leaning on a proposition. */
export type Leaning = {
  /** One of -1, -0.5, 0.5, 1: rules are never undecided. */
  readonly stance: number;
  /** 0.5 to 0.95. */
  readonly confidence: number;
  /** -1 to 1: how strongly. */
  readonly pull: number;
  /** What decided the side: the brief's concerns, its temper, or a hash. */
  readonly grounds: 'concern' | 'temper' | 'chance';
  /** Terms of the brief that are the grounds; none for `chance`. */
  readonly words: readonly string[];
  /** The grounds' statement on the proposal, as a clause; empty for `chance`. */
  readonly because: string;
};

const CONCERN_SHARE = 0.9;
const TEMPER_SHARE = 0.7;
/** Share that a deterministic hash decides. */
const CHANCE_SHARE = 0.45;
const CLEAR = 0.6;
/** Words of a temper that make it whole. */
const TEMPER_WORDS = 4;
/** Words of a concern that make it one's own. */
const CARING_WORDS = 3;
const MAX_WORDS = 2;
const MAX_BRIEF_CHARACTERS = 8_000;

/**
 * Where a persona stands on propositions, from the words of both: what its brief cares for is
 * served or strained by what is proposed, a brief that doubts is against it and one that drives is
 * for it, and the rest is a hash. The same words give the same stance.
 */
export function openStances({ name, brief }: Persona): (proposition: string) => Leaning {
  const own = wordsByTerm(`${brief.slice(0, MAX_BRIEF_CHARACTERS)} ${name}`);
  return (proposition) => takeStance(proposition, { own, key: `${name}\n${brief}` });
}

/** A brief by its words, and what tells it from every other. */
type Brief = { readonly own: ReadonlyMap<string, string>; readonly key: string };

function takeStance(proposition: string, { own, key }: Brief): Leaning {
  const terms = splitTerms(proposition);
  const proposed = terms.filter((term) => !RESTRAINT.has(term));
  // To wait with something is to be against it.
  const direction = proposed.length < terms.length ? -1 : 1;
  const concerns = weighConcerns(own, proposed);
  const temper = temperOf(own);
  const sum =
    concerns.reduce((total, { pull }) => total + pull, 0) * CONCERN_SHARE * direction +
    temper * TEMPER_SHARE * direction +
    chance(`${key}\n${proposition}`) * CHANCE_SHARE;
  const pull = Math.min(1, Math.max(-1, sum));
  const side = Math.sign(pull) || 1;
  const { cares, statement } = temper < 0 ? CAUTION : DRIVE;
  const grounds: Grounds[] = [
    ...concerns.map(({ concern, pull: towards }) => ({
      kind: 'concern' as const,
      cares: concern.cares,
      statement: towards > 0 ? concern.served : concern.strained,
      towards,
    })),
    { kind: 'temper', cares, statement, towards: temper * TEMPER_SHARE },
  ];
  // What spoke for the other side is no reason for this one.
  const [strongest] = grounds
    .filter(({ towards }) => Math.sign(towards * direction) === side)
    .toSorted((one, other) => Math.abs(other.towards) - Math.abs(one.towards));
  return {
    stance: side * (Math.abs(pull) >= CLEAR ? 1 : 0.5),
    confidence: Math.round((0.5 + 0.45 * Math.abs(pull)) * 20) / 20,
    pull,
    grounds: strongest?.kind ?? 'chance',
    words: strongest === undefined ? [] : wordsOf(own, strongest.cares),
    because: strongest?.statement ?? '',
  };
}

type Grounds = Temper & {
  readonly kind: 'concern' | 'temper';
  readonly towards: number;
};

type Weighed = { readonly concern: Concern; readonly pull: number; readonly weight: number };

function weighConcerns(
  own: ReadonlyMap<string, string>,
  proposed: readonly string[],
): readonly Weighed[] {
  const cares = CONCERNS.map((concern) => ({
    concern,
    count: [...concern.cares].filter((term) => own.has(term)).length,
  }));
  const most = Math.max(1, ...cares.map(({ count }) => count));
  return cares.flatMap(({ concern, count }) => {
    const served = proposed.filter((term) => concern.drawnTo.has(term)).length;
    const strained = proposed.filter((term) => concern.waryOf.has(term)).length;
    if (served === strained || count === 0) return [];
    // What a brief speaks of most is what it is about, unless it hardly speaks of it.
    const weight = (count / most) ** 2 * Math.min(1, count / CARING_WORDS);
    return [{ concern, weight, pull: Math.sign(served - strained) * weight }];
  });
}

/** -1 to 1. */
function temperOf(own: ReadonlyMap<string, string>): number {
  const count = ({ cares }: Temper): number => [...cares].filter((term) => own.has(term)).length;
  return Math.min(1, Math.max(-1, (count(DRIVE) - count(CAUTION)) / TEMPER_WORDS));
}

/** The first spelling of each term, in the order of the text. */
function wordsByTerm(text: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const word of text.match(/[\p{L}\p{M}]+/gu) ?? []) {
    for (const term of splitTerms(word)) {
      if (!words.has(term)) words.set(term, word.toLowerCase());
    }
  }
  return words;
}

/** As the brief spells them; the most telling first. */
function wordsOf(own: ReadonlyMap<string, string>, terms: ReadonlySet<string>): string[] {
  return [...terms].flatMap((term) => own.get(term) ?? []).slice(0, MAX_WORDS);
}

/** From -1 to 1, of a text. */
export function chance(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / (2 ** 31 - 0.5) - 1;
}
