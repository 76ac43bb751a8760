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
/** Smallest share of a proposition's content words that a given fact has, too. */
const GIVEN_SHARE_MIN = 0.8;

/**
 * Returns the issues of a debate from the propositions that a model found for a question. The first
 * one is the decision itself: the model's first proposition about what should be done, or else the
 * sentence "Should we ...?" of the question, as a statement where its subject is a pronoun, because
 * votes on considerations decide nothing. Facts that the question gives, and questions that one
 * cannot be for or against, are not put to the vote.
 * Propositions that say nearly the same, or the opposite, are one view and count once.
 */
export const chooseIssues = (found: readonly Proposition[], question: string): Issue[] => {
  const propositions = found.filter(({ proposition }) => !OPEN_QUESTION.test(proposition));
  if (propositions.length === 0) return [];
  const asked = findAsked(question);
  const decision = findDecision(propositions, asked);
  const others = propositions.filter(
    (one) => one !== decision && !(asked && isGiven(one.proposition, asked)),
  );
  const distinct: Proposition[] = [];
  for (const one of [decision, ...others]) {
    if (!distinct.some((other) => isSameView(one.proposition, other.proposition, question)))
      distinct.push(one);
  }
  return distinct
    .slice(0, ISSUES_MAX)
    .map(({ proposition, weight }, index) => ({ id: `i${index + 1}`, proposition, weight }));
};

const findDecision = (
  propositions: readonly Proposition[],
  asked: Asked | undefined,
): Proposition => {
  const found = propositions.find(({ proposition }) =>
    asked ? isDecision(proposition, asked) : SHOULD.test(proposition),
  );
  return found ?? (asked ? { proposition: asked.decision, weight: 1 } : propositions[0]!);
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

/** A question that one cannot be for or against. */
const OPEN_QUESTION = new RegExp(
  String.raw`^¿?(?:how|what|which|who|when|where|why|wie|was|welche\p{L}?|wer|wann|wo|warum|wieso|` +
    String.raw`cuánt[oa]s?|cuál(?:es)?|qué|quién|cuándo|dónde|cómo|por qué|combien|quel(?:le)?s?|` +
    String.raw`qui|quand|où|comment|pourquoi)(?!\p{L}).*\?$`,
  'iu',
);

const SHOULD = new RegExp(
  String.raw`(?<!\p{L})(?:should|ought to|must|shall|sollten?|sollen?|soll|müssen|muss|` +
    'debemos|debería|deberíamos|debe|deben|hay que|tenemos que|devons|devrions|doit|devrait|' +
    String.raw`il faut|worth it|good idea|gute idee|buena idea|bonne idée)(?!\p{L})`,
  'iu',
);

/**
 * Advice that shares words with the asked decision. If the question asks for one of two things, a
 * proposition without "should" that names one of them counts as well.
 */
const isDecision = (proposition: string, { decision }: Asked): boolean => {
  const askedWords = contentWordsOf(decision);
  const own = [...contentWordsOf(proposition)];
  const shared = own.filter((word) => askedWords.has(word)).length;
  if (shared === 0) return false;
  if (SHOULD.test(proposition)) return true;
  return OR.test(decision) && shared / own.length >= QUESTION_SHARE_MIN;
};

/** True for what a sentence or clause of the question states, and for the decision as a phrase. */
const isGiven = (proposition: string, { decision, given }: Asked): boolean => {
  const own = [...contentWordsOf(proposition)];
  if (own.length === 0 || SHOULD.test(proposition)) return false;
  const isIn = (text: string, shareMin: number): boolean => {
    const stated = contentWordsOf(text);
    return own.filter((word) => stated.has(word)).length >= own.length * shareMin;
  };
  return (
    given.some((text) => isIn(text, GIVEN_SHARE_MIN)) || (!OR.test(decision) && isIn(decision, 1))
  );
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
const OR = / (?:or|oder|o|u|ou) /iu;
const ALTERNATIVE = /, (?:or|oder|o|u|ou)(?!\p{L})/iu;
const SENTENCE = /[^.!?¿:;\n]+/gu;
/** Beginnings of clauses that state something beside the decision. */
const BESIDE = new RegExp(
  ', (?:(?:even )?though|although|while|whereas|given that|since|because|obwohl|auch wenn|da|' +
    'weil|aunque|si bien|ya que|porque|bien que|quoique|puisque|parce que) ',
  'iu',
);
/** A sentence that names what can be done states no fact. */
const OPTION = new RegExp(
  String.raw`(?<!\p{L})(?:could|can|may|might|either|option|könnten?|können|entweder|podríamos|` +
    String.raw`podemos|pourrions|pouvons|soit)(?!\p{L})`,
  'iu',
);

type Asked = {
  /** The decision as a statement where its subject is a pronoun; of two alternatives the first. */
  decision: string;
  /** Other sentences and clauses of the question, which state facts. */
  given: readonly string[];
};

/** Returns what a question asks to decide; undefined if it asks for no decision. */
const findAsked = (question: string): Asked | undefined => {
  for (const [sentence, text] of question.matchAll(SENTENCE_ASKED)) {
    const clauses = text!.trim().split(/, (?=\S)/u);
    const start = clauses.findIndex((clause) => ASKED.some(([pattern]) => pattern.test(clause)));
    if (start === -1) continue;
    const [main, ...beside] = clauses.slice(start).join(', ').split(BESIDE) as [string];
    const facts = question.replace(sentence, '\n').match(SENTENCE) ?? [];
    return {
      decision: toStatement(main.split(ALTERNATIVE, 1)[0]!),
      given: [...clauses.slice(0, start), ...beside, ...facts].filter(
        (fact) => fact.trim() !== '' && !OPTION.test(fact) && !SHOULD.test(fact),
      ),
    };
  }
  return undefined;
};

const toStatement = (text: string): string => {
  const [pattern, beginning] = ASKED.find(([one]) => one.test(text))!;
  if (beginning === '') return toProposition(`${text}?`);
  const statement = text.replace(pattern, beginning);
  return toProposition(`${statement[0]!.toUpperCase()}${statement.slice(1)}.`);
};
