import { splitSentences } from '../split-sentences.ts';
import { toIndirectQuestion } from './to-indirect-question.ts';

export type FramedIssue = {
  readonly id: string;
  readonly proposition: string;
  readonly weight: number;
};

const MAX_ISSUES = 5;
const MAX_FRAMINGS = 3;
const ASPECT_WEIGHT = 0.5;
const MAX_CHARACTERS = 140;
const MAX_END_CHARACTERS = 4_000;
/** Limit of the read characters of a sentence; propositions are clipped to fewer anyway. */
const MAX_READ_CHARACTERS = 1_000;
const QUESTION_MARK = /[?？؟]["'”’»)\]]*$/u;
const END = /[\s.!?？؟。…]+["'”’»)\]]*$/u;
const SUBJECT = 'we|i|they|you|he|she|it|(?:the|our|my) [\\p{L}-]+';
const MODAL = 'should|shall|must|can|could|would|will|may';
const MODAL_QUESTION = new RegExp(`^(?<modal>${MODAL}) (?<subject>${SUBJECT}) (?<rest>.+)$`, 'iu');
/** Separates the actions in "raise a round, cut staff or sell". */
const ALTERNATIVE = /,? or (?:should we |shall we )?|, /iu;
const NO_ACTION = new RegExp(
  String.raw`^(?:\d|(?:a|an|and|at|both|by|even|every|for|from|if|in|into|less|like|more|neither|` +
    'next|not?|on|one|our|since|than|that|the|this|to|when|where|which|while|with)' +
    String.raw`\b)`,
  'iu',
);

/** Alternatives that mean doing nothing. */
const WAITING = /^(?:not|wait|hold|stay|leave|keep|postpone|delay)\b/iu;

/**
 * Returns the question as one to five propositions in its own words that a member can support or
 * oppose: each action that it asks about, whether that is worth the cost, and whether it can wait.
 * An open question becomes whether to settle it now and whether it is worth finding out. A question
 * that no rule matches is quoted.
 */
export function frameQuestion(question: string): FramedIssue[] {
  const sentences = splitSentences(readEnds(question));
  const asking = sentences.filter((sentence) => QUESTION_MARK.test(sentence));
  const selected = (asking.length > 0 ? asking : sentences).slice(0, MAX_FRAMINGS);
  const framings = selected.flatMap((sentence) => {
    const text = sentence.slice(0, MAX_READ_CHARACTERS).replace(END, '').trim();
    return toFramings(text, QUESTION_MARK.test(sentence));
  });
  const distinct = [
    ...new Map(framings.map((framing) => [framing.statement, framing])).values(),
  ].slice(0, MAX_FRAMINGS);
  const [first] = distinct;
  const propositions = [
    ...distinct.map(({ statement }) => ({ proposition: statement, weight: 1 })),
    ...(first?.aspects ?? []).map((proposition) => ({ proposition, weight: ASPECT_WEIGHT })),
  ];
  return propositions
    .slice(0, MAX_ISSUES)
    .map(({ proposition, weight }, index) => ({ id: `i${index + 1}`, proposition, weight }));
}

const readEnds = (text: string): string =>
  text.length <= 2 * MAX_END_CHARACTERS
    ? text
    : `${text.slice(0, MAX_END_CHARACTERS)}\n${text.slice(-MAX_END_CHARACTERS)}`.toWellFormed();

type Framing = { readonly statement: string; readonly aspects: readonly string[] };

function toFramings(sentence: string, isQuestion: boolean): Framing[] {
  const modal = MODAL_QUESTION.exec(sentence)?.groups;
  if (modal === undefined) {
    if (sentence === '') return [];
    return [isQuestion ? toOpenFraming(sentence) : toPlanFraming(sentence)];
  }
  const { modal: verb = '', subject = '', rest = '' } = modal;
  const who = `${subject[0]!.toUpperCase()}${subject.slice(1)}`;
  const parts = rest.split(ALTERNATIVE);
  const isList = / or /iu.test(rest) && !parts.slice(1).some((part) => NO_ACTION.test(part));
  // Waiting is left out, because it has its own proposition and only opposes the other actions.
  const actions = isList
    ? parts.filter((part, index) => index === 0 || !WAITING.test(part))
    : [rest];
  return actions.flatMap((part): Framing[] => {
    const action = clipWords(part.trim());
    if (action === '') return [];
    const statement = `${who} ${verb.toLowerCase()} ${action}`;
    const aspects = [`It is worth the cost to ${action}`, `It is better to wait than to ${action}`];
    return [{ statement, aspects }];
  });
}

function toOpenFraming(sentence: string): Framing {
  const indirect = toIndirectQuestion(sentence);
  if (indirect === undefined) {
    return {
      statement: `The question “${clipWords(sentence)}” should be settled now`,
      aspects: [],
    };
  }
  const clause = clipWords(indirect);
  return {
    statement: `It should be settled now ${clause}`,
    aspects: [`It is worth money and time to find out ${clause}`],
  };
}

const toPlanFraming = (sentence: string): Framing => ({
  statement: `“${clipWords(sentence)}” is the right course`,
  aspects: [],
});

function clipWords(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const head = text.slice(0, MAX_CHARACTERS).toWellFormed();
  return `${head.replace(/\s+\S*$/u, '')} …`;
}
