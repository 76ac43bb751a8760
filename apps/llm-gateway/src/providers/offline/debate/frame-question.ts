import { splitSentences } from '../split-sentences.ts';

/** A proposition of the question's own words. */
export type FramedIssue = {
  readonly id: string;
  readonly proposition: string;
  readonly weight: number;
};

const MAX_ISSUES = 5;
const MAX_ASKS = 3;
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
 * thing that it asks whether to do, what that costs, and whether it can wait. A question that no
 * rule turns into a statement is quoted.
 */
export function frameQuestion(question: string): FramedIssue[] {
  const sentences = splitSentences(readEnds(question));
  const asking = sentences.filter((sentence) => ASKS.test(sentence));
  const asked = (asking.length > 0 ? asking : sentences).slice(0, MAX_ASKS);
  const asks = asked.flatMap((sentence) =>
    toAsks(sentence.slice(0, MAX_READ_CHARACTERS).replace(END, '').trim()),
  );
  const distinct = [...new Map(asks.map((ask) => [ask.statement, ask])).values()].slice(
    0,
    MAX_ASKS,
  );
  const [first] = distinct;
  const propositions = [
    ...distinct.map(({ statement }) => ({ proposition: statement, weight: 1 })),
    ...(first === undefined ? [] : toAspects(first)),
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

/** Something asked for: what can be held of it, and what it is to do, when that can be said. */
type Ask = { readonly statement: string; readonly deed: string };

function toAsks(sentence: string): Ask[] {
  const modal = MODAL_QUESTION.exec(sentence)?.groups;
  if (modal === undefined) return sentence === '' ? [] : [toQuoted(sentence)];
  const { modal: verb = '', subject = '', rest = '' } = modal;
  const who = `${subject[0]!.toUpperCase()}${subject.slice(1)}`;
  const parts = rest.split(ALTERNATIVE);
  const isList = / or /iu.test(rest) && !parts.slice(1).some((part) => NO_DEED.test(part));
  // Whether it can wait is asked of everything: as a deed it would be the other ones' opposite.
  const deeds = isList ? parts.filter((part, index) => index === 0 || !WAITING.test(part)) : [rest];
  return deeds.flatMap((part) => {
    const deed = clipWords(part.trim());
    if (deed === '') return [];
    return [{ statement: `${who} ${verb.toLowerCase()} ${deed}`, deed: `to ${deed}` }];
  });
}

function toQuoted(sentence: string): Ask {
  const quoted = `“${clipWords(sentence)}”`;
  return { statement: `${quoted} calls for a change from what is done today`, deed: '' };
}

function toAspects({ statement, deed }: Ask): { proposition: string; weight: number }[] {
  const quoted = /“.*”/u.exec(statement)?.[0] ?? '';
  return [
    {
      proposition:
        deed === ''
          ? `What ${quoted} would take is worth its cost`
          : `It is worth the cost ${deed}`,
      weight: 0.5,
    },
    {
      proposition:
        deed === ''
          ? `${quoted} can wait until more is known`
          : `It is better to wait than ${deed}`,
      weight: 0.5,
    },
  ];
}

function clipWords(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const head = text.slice(0, MAX_CHARACTERS).toWellFormed();
  return `${head.replace(/\s+\S*$/u, '')} …`;
}
