import { readPersona } from './persona.ts';
import type { Passage, Prompt } from './read-prompt.ts';
import { sentencesOf, termsOf } from './terms.ts';

/** Source of all texts and decisions of an answer. Equal prompts give equal texts and decisions. */
export type Writer = Pick<ReturnType<typeof readPersona>, 'chance' | 'lean'> & {
  /** Returns a text for a field of this name; `index` is its index in a list. */
  write: (field: string, index: number) => string;
  /**
   * Returns the text that the instructions give under a mark, as in "[i1] We should hire.";
   * undefined if there is none.
   */
  subjectOf: (mark: string) => string | undefined;
};

/** Disclosure that the writer adds to an answer in text. */
export const DISCLOSURE = "This is Witan's offline provider answering without a model";

const QUOTES_MAX = 3;
const QUOTE_LENGTH_MAX = 300;
const QUOTE_SCORE_MIN = 0.4;
const OPEN_QUESTION = /^(?:what|who|whom|whose|which|when|where|why|how)\b|[^?]$/iu;
/** Matches words that begin with a capital letter or a digit, except at the start of a sentence. */
const NAMES = /(?<=[^.!?]\s)[\p{Lu}\p{N}][\p{L}\p{N}’'-]*/gu;
const MARKED = /^\[(?<mark>\w+)\] (?<text>.+)$/gmu;
const SETUP =
  'For real answers set OPENAI_API_KEY, ANTHROPIC_API_KEY or LOCAL_BASE_URL and restart Witan.';
/** Position on settings, whose numbers all have a default. */
const UNCHANGED = 'Nothing is changed: every number keeps its default.';
/** Verbs for leanings from -1 to 1 in steps of a half. */
const VERBS = ['rejects', 'leans against', 'is undecided on', 'leans towards', 'supports'];
/** Steps towards the answer to any question. */
const ACTIONS = [
  'Write down what is known and what is assumed',
  'Ask three people who have done it',
  'Choose the figure that would change the decision',
];

/** Kinds of text by the names of fields; the first match applies. */
const KINDS = [
  [/content|answer|text|message|reply|summary|descr|note/iu, 'answer'],
  [/proposition|statement|claim|hypothes/iu, 'statement'],
  [/position|stance|verdict|decision|conclusion|opinion/iu, 'position'],
  [/chang|condition|unless|evidence/iu, 'condition'],
  [/reason|rational|why|point|argument|risk|concern|expla/iu, 'reason'],
  [/title|action|step|recommend|todo|plan|task/iu, 'action'],
  [/quer|question|topic|input|prompt|^q$/iu, 'question'],
] as const;

export const createWriter = (prompt: Prompt): Writer => {
  const { question, wantsSettings } = prompt;
  const { name, chance, lean, lensAt } = readPersona(prompt.instructions);
  const speaker = name === '' ? 'The offline provider' : name;
  const isOpen = OPEN_QUESTION.test(question);
  const statement = isOpen ? `The time to decide is now: “${question}”` : question;
  const isFor = lean(statement) > 0;
  const pro = (index: number): string => lensAt(index)[isFor ? 'benefit' : 'harm'];
  const contra = (index: number): string => lensAt(index)[isFor ? 'harm' : 'benefit'];
  const reason = (index: number): string =>
    name === '' ? 'Nothing is known of it without a model.' : `${name} holds that ${pro(index)}.`;
  const condition = (index: number): string =>
    `${speaker} would reconsider if shown that ${contra(index)}.`;
  const position = (): string =>
    wantsSettings
      ? UNCHANGED
      : isOpen
        ? `Nothing answers “${clip(question)}”: ${speaker} would first ask whether ${contra(0)}.`
        : `${speaker} ${VERBS[Math.round(lean(question) * 2) + 2]} “${clip(question)}”: ${pro(0)}.`;
  const answer = (index: number): string => {
    if (index > 0) return reason(index);
    const quotes = wantsSettings ? [] : chooseQuotes(prompt);
    const hasOpinion = name !== '' && question !== '' && !(isOpen && quotes.length > 0);
    const isEmpty = quotes.length === 0 && !hasOpinion && !wantsSettings;
    return [
      ...quotes.map(({ text, source }) => `“${clip(text)}” (${source})`),
      ...(isEmpty ? [`You wrote: “${clip(question)}”`] : []),
      ...(hasOpinion || wantsSettings ? [position()] : []),
      ...(hasOpinion && !isOpen && !wantsSettings ? [condition(0)] : []),
      `${DISCLOSURE}${name === '' ? '' : `, in the place of ${name}`}.`,
      ...(isEmpty ? [SETUP] : []),
    ].join(' ');
  };
  const texts = {
    ...{ answer, position, reason, condition },
    action: (index: number): string => ACTIONS[index % ACTIONS.length]!,
    statement: (): string => statement,
    question: (): string => question,
    value: (index: number): string => question.match(NAMES)?.[index] ?? 'unknown',
  };
  const kindOf = (field: string) => KINDS.find(([fields]) => fields.test(field))?.[1] ?? 'value';
  const subjects = new Map(
    [...prompt.instructions.matchAll(MARKED)].map(({ groups }) => [
      groups!['mark'],
      groups!['text'],
    ]),
  );
  const subjectOf = (mark: string): string | undefined => subjects.get(mark);
  return { chance, lean, subjectOf, write: (field, index) => texts[kindOf(field)](index) };
};

/**
 * Returns up to three sentences with the largest share of the question's terms. Sentences of tool
 * results match any question; a sentence that contains the question is no quote.
 */
const chooseQuotes = ({ question, passages, results }: Prompt): Passage[] => {
  const wanted = [...termsOf(question)];
  const scoreOf = (text: string): number => {
    const terms = termsOf(text);
    return wanted.filter((term) => terms.has(term)).length / Math.max(1, wanted.length);
  };
  return [...passages, ...results]
    .flatMap((passage) => {
      const sentences = sentencesOf(passage.text).filter((text) => !text.includes(question));
      const bonus = results.includes(passage) ? 1 : 0;
      return sentences.map((text) => ({ ...passage, text, score: bonus + scoreOf(text) }));
    })
    .filter(({ score }) => score >= QUOTE_SCORE_MIN)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, QUOTES_MAX);
};

/** Returns the first 300 UTF-16 units of a text on one line, with single quotation marks. */
const clip = (text: string): string => {
  const line = text.slice(0, QUOTE_LENGTH_MAX).toWellFormed().replaceAll(/\s+/gu, ' ');
  return line.replaceAll('“', '‘').replaceAll('”', '’');
};
