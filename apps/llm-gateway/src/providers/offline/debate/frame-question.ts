import { splitSentences } from '../split-sentences.ts';
import { toIndirectQuestion } from './to-indirect-question.ts';

/** A proposition of the question's own words. */
export type FramedIssue = {
  readonly id: string;
  readonly proposition: string;
  readonly weight: number;
};

const MAX_ISSUES = 5;
const MAX_ASKS = 3;
const ASPECT_WEIGHT = 0.5;
const MAX_CHARACTERS = 140;
const MAX_END_CHARACTERS = 4_000;
/** Of a sentence: more is clipped anyway. */
const MAX_READ_CHARACTERS = 1_000;
const ASKS = /[?？؟]["'”’»)\]]*$/u;
const END = /[\s.!?？؟。…]+["'”’»)\]]*$/u;
const SUBJECT = 'we|i|they|you|he|she|it|(?:the|our|my) [\\p{L}-]+';
const MODAL = 'should|shall|must|can|could|would|will|may';
/** "Should we hire ...": what is asked can be said. */
const MODAL_QUESTION = new RegExp(`^(?<modal>${MODAL}) (?<subject>${SUBJECT}) (?<rest>.+)$`, 'iu');
/** "... raise a round, cut staff or sell": a list of deeds, when each begins as one does. */
const ALTERNATIVE = /,? or (?:should we |shall we )?|, /iu;
const NO_DEED = new RegExp(
  String.raw`^(?:\d|(?:a|an|and|at|both|by|even|every|for|from|if|in|into|less|like|more|neither|` +
    'next|not?|on|one|our|since|than|that|the|this|to|when|where|which|while|with)' +
    String.raw`\b)`,
  'iu',
);

/** What is put beside a deed as doing nothing. */
const WAITING = /^(?:not|wait|hold|stay|leave|keep|postpone|delay)\b/iu;

/**
 * The question as one to five propositions that one can be for or against, in its own words: each
 * thing that it asks whether to do, what that costs, and whether it can wait. Of a question that no
 * yes or no answers: whether it should be settled now, and is worth finding out. What no rule turns
 * into a clause is quoted.
 */
export function frameQuestion(question: string): FramedIssue[] {
  const sentences = splitSentences(readEnds(question));
  const asking = sentences.filter((sentence) => ASKS.test(sentence));
  const asked = (asking.length > 0 ? asking : sentences).slice(0, MAX_ASKS);
  const asks = asked.flatMap((sentence) => {
    const text = sentence.slice(0, MAX_READ_CHARACTERS).replace(END, '').trim();
    return toAsks(text, ASKS.test(sentence));
  });
  const distinct = [...new Map(asks.map((ask) => [ask.statement, ask])).values()].slice(
    0,
    MAX_ASKS,
  );
  const [first] = distinct;
  const propositions = [
    ...distinct.map(({ statement }) => ({ proposition: statement, weight: 1 })),
    ...(first?.aspects ?? []).map((proposition) => ({ proposition, weight: ASPECT_WEIGHT })),
  ];
  return propositions
    .slice(0, MAX_ISSUES)
    .map(({ proposition, weight }, index) => ({ id: `i${index + 1}`, proposition, weight }));
}

/** What is asked stands where a long text begins or ends. */
const readEnds = (text: string): string =>
  text.length <= 2 * MAX_END_CHARACTERS
    ? text
    : `${text.slice(0, MAX_END_CHARACTERS)}\n${text.slice(-MAX_END_CHARACTERS)}`.toWellFormed();

/** Something asked for: what can be held of it, and what else. */
type Ask = { readonly statement: string; readonly aspects: readonly string[] };

function toAsks(sentence: string, isQuestion: boolean): Ask[] {
  const modal = MODAL_QUESTION.exec(sentence)?.groups;
  if (modal === undefined) {
    if (sentence === '') return [];
    return [isQuestion ? toOpenAsk(sentence) : toPlan(sentence)];
  }
  const { modal: verb = '', subject = '', rest = '' } = modal;
  const who = `${subject[0]!.toUpperCase()}${subject.slice(1)}`;
  const parts = rest.split(ALTERNATIVE);
  const isList = / or /iu.test(rest) && !parts.slice(1).some((part) => NO_DEED.test(part));
  // Whether it can wait is asked of everything: as a deed it would be the other ones' opposite.
  const deeds = isList ? parts.filter((part, index) => index === 0 || !WAITING.test(part)) : [rest];
  return deeds.flatMap((part): Ask[] => {
    const deed = clipWords(part.trim());
    if (deed === '') return [];
    const statement = `${who} ${verb.toLowerCase()} ${deed}`;
    const aspects = [`It is worth the cost to ${deed}`, `It is better to wait than to ${deed}`];
    return [{ statement, aspects }];
  });
}

/** A question that rules cannot answer: whether to answer it can be held all the same. */
function toOpenAsk(sentence: string): Ask {
  const indirect = toIndirectQuestion(sentence);
  if (indirect === undefined) {
    return {
      statement: `The question “${clipWords(sentence)}” should be settled now`,
      aspects: [],
    };
  }
  const asked = clipWords(indirect);
  return {
    statement: `It should be settled now ${asked}`,
    aspects: [`It is worth money and time to find out ${asked}`],
  };
}

const toPlan = (sentence: string): Ask => ({
  statement: `“${clipWords(sentence)}” is the right course`,
  aspects: [],
});

function clipWords(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const head = text.slice(0, MAX_CHARACTERS).toWellFormed();
  return `${head.replace(/\s+\S*$/u, '')} …`;
}
