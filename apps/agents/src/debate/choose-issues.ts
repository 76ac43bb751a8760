import { cleanText, toOneLine } from '../prompt/to-one-line.ts';
import type { Issue } from './debate.ts';
import { contentWordsOf } from './synthesis/choose-point.ts';

export type Proposition = Pick<Issue, 'proposition' | 'weight'>;

export const ISSUES_MAX = 5;
const PROPOSITION_LENGTH_MAX = 300;
/** Smallest share of common content words (Jaccard) of two propositions that are one view. */
const SAME_SHARE_MIN = 0.7;
/** Smallest share of a proposition's content words that come from the question itself. */
const QUESTION_SHARE_MIN = 0.6;

/**
 * Returns the issues of a debate from the propositions that a model found for a question. The first
 * one is the decision itself: the model's first proposition about what should be done, or in the
 * words of the question's sentence "Should we ...?", or else this sentence, because votes on
 * considerations decide nothing. Propositions that say nearly the same, or the opposite, are one
 * view and count once.
 */
export const chooseIssues = (propositions: readonly Proposition[], question: string): Issue[] => {
  const distinct: Proposition[] = [];
  for (const one of propositions) {
    if (!distinct.some((other) => isSameView(one.proposition, other.proposition, question)))
      distinct.push(one);
  }
  const asked = findAskedDecision(question);
  return moveDecision(distinct, asked)
    .slice(0, ISSUES_MAX)
    .map(({ proposition, weight }, index) => ({ id: `i${index + 1}`, proposition, weight }));
};

const moveDecision = (
  distinct: readonly Proposition[],
  asked: string | undefined,
): readonly Proposition[] => {
  if (distinct.length === 0) return [];
  const decision = distinct.find(({ proposition }) =>
    asked === undefined ? SHOULD.test(proposition) : isDecision(proposition, asked),
  );
  const first =
    decision ?? (asked === undefined ? distinct[0]! : { proposition: asked, weight: 1 });
  return [first, ...distinct.filter((one) => one !== first)];
};

export const toProposition = (text: string): string =>
  cleanText(toOneLine(text), PROPOSITION_LENGTH_MAX);

/**
 * Two propositions are different views if each or one of them has a number, or a word of the
 * question, that the other lacks: that is where alternatives differ.
 */
const isSameView = (one: string, other: string, question: string): boolean => {
  const [left, right] = [contentWordsOf(one), contentWordsOf(other)];
  const common = [...left].filter((word) => right.has(word)).length;
  const union = left.size + right.size - common;
  if (union === 0) return one === other;
  if (common / union < SAME_SHARE_MIN) return false;
  const asked = contentWordsOf(question);
  const isDistinctive = (word: string): boolean => /\d/u.test(word) || asked.has(word);
  const lacks = (words: ReadonlySet<string>, of: ReadonlySet<string>): boolean =>
    [...of].some((word) => !words.has(word) && isDistinctive(word));
  return !lacks(left, right) && !lacks(right, left);
};

const SHOULD = new RegExp(
  String.raw`(?<!\p{L})(?:should|ought to|must|shall|sollten?|sollen?|soll|müssen|muss|` +
    'debemos|debería|deberíamos|debe|deben|hay que|tenemos que|devons|devrions|doit|devrait|' +
    String.raw`il faut|worth it|good idea|gute idee|buena idea|bonne idée)(?!\p{L})`,
  'iu',
);

/** A proposition in the words of the asked decision, or advice that shares some of them. */
const isDecision = (proposition: string, asked: string): boolean => {
  const askedWords = contentWordsOf(asked);
  const own = [...contentWordsOf(proposition)];
  const shared = own.filter((word) => askedWords.has(word)).length;
  const shareMin = SHOULD.test(proposition) ? 0 : QUESTION_SHARE_MIN;
  return shared > 0 && shared / own.length >= shareMin;
};

/** Beginnings of questions of decision, and how the decision begins as a statement. */
const ASKED: readonly (readonly [RegExp, string])[] = [
  [/^(?:should|shall) (we|i|you|they|it)(?= )/iu, '$1 should'],
  [/^(?:sollten|sollen|müssen) (wir|sie)(?= )/iu, '$1 sollten'],
  [/^sollte? (ich|er|es)(?= )/iu, '$1 sollte'],
  [/^(debemos|deberíamos|tenemos que|hay que)(?= )/iu, '$1'],
  [/^(?:devons|devrions)-nous(?= )/iu, 'nous devrions'],
  [/^faut-il(?= )/iu, 'il faut'],
  [/^(should|shall|sollten?|sollen|soll|debe|deben|debería|deberían|devrait)(?= )/iu, ''],
];
/** Begins at the start of a sentence only, so that a long text takes linear time. */
const SENTENCE_ASKED = /(?<![^.!?¿:;\n])([^.!?¿:;\n]+)\?/gu;
const ALTERNATIVE = /, (?:or|oder|o|u|ou)(?!\p{L})/iu;

/**
 * Returns the sentence of a question that asks whether to do something, as a statement where its
 * subject is a pronoun; of two alternatives, the first. Returns undefined if there is none.
 */
const findAskedDecision = (question: string): string | undefined => {
  for (const [, sentence] of question.matchAll(SENTENCE_ASKED)) {
    const [text] = sentence!.trim().split(ALTERNATIVE, 1) as [string];
    for (const [pattern, beginning] of ASKED) {
      if (!pattern.test(text)) continue;
      if (beginning === '') return toProposition(`${text}?`);
      const statement = text.replace(pattern, beginning);
      return toProposition(`${statement[0]!.toUpperCase()}${statement.slice(1)}.`);
    }
  }
  return undefined;
};
