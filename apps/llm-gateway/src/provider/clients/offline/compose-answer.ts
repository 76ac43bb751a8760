import { findPersona } from './find-persona.ts';
import { DISCLOSURE, type Sentence } from './gather-sentences.ts';
import type { RankedSentence } from './rank-sentences.ts';
import type { Unreadable } from './read-content.ts';
import type { Conversation } from './read-conversation.ts';

const MAX_QUOTES = 3;
const MAX_QUOTE_CHARACTERS = 400;
const MAX_QUESTION_CHARACTERS = 160;
const MIN_SCORE_SHARE = 0.4;

const SETUP_ADVICE =
  'For a real answer set OPENAI_API_KEY, or LOCAL_BASE_URL for a model runtime of your own, ' +
  'and start Witan again.';
const FEATURES_NOTE =
  'Streaming, tools, structured output and the certificate of this call work the same either way.';

/**
 * Returns the answer in two to five sentences: quotes with their sources, or a statement that
 * nothing matches the question and what to configure; what could not be read; and the disclosure.
 * `ranked` is best first, from `rankSentences`.
 */
export function composeAnswer(
  conversation: Conversation,
  ranked: readonly RankedSentence[],
): string {
  const unreadable = writeUnreadable(conversation.unreadable);
  const disclosure = disclose(conversation);
  const quotes = chooseQuotes(ranked, unreadable === '' ? MAX_QUOTES : MAX_QUOTES - 1);
  const sentences =
    quotes.length > 0
      ? [...quoteInOrder(quotes), unreadable, introduceQuotes(quotes, disclosure)]
      : [
          writeAsked(conversation.question),
          unreadable,
          writeNoMatch(conversation, disclosure),
          SETUP_ADVICE,
        ];
  if (quotes.length === 0 && unreadable === '') sentences.push(FEATURES_NOTE);
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

export function chooseQuotes(ranked: readonly RankedSentence[], maxQuotes: number): Sentence[] {
  const best = ranked[0]?.score ?? 0;
  return ranked
    .slice(0, maxQuotes)
    .filter(({ score }) => score > 0 && score >= best * MIN_SCORE_SHARE)
    .toSorted((one, other) => one.index - other.index)
    .map(({ sentence }) => sentence);
}

/** Returns `text` cut to at most `maxCharacters`, at a word if possible, with an ellipsis. */
export function clip(text: string, maxCharacters: number): string {
  const characters = [...text];
  if (characters.length <= maxCharacters) return text;
  const head = characters.slice(0, maxCharacters - 1).join('');
  const atWord = head.replace(/\s+\S*$/u, '');
  return `${atWord.length > head.length / 2 ? atWord : head}…`;
}

function quoteInOrder(quotes: readonly Sentence[]): string[] {
  return quotes.map((quote, index) => {
    const before = quotes[index - 1];
    const continues = before !== undefined && introduce(before) === introduce(quote);
    const text = endSentence(clip(quote.text, MAX_QUOTE_CHARACTERS));
    return continues ? text : `${introduce(quote)} ${text}`;
  });
}

function introduce({ speaker, label = 'the context', tool }: Sentence): string {
  switch (speaker) {
    // Does not occur, because instructions are never quoted.
    case 'instructions':
    case 'data':
      return `From ${label}:`;
    case 'tool':
      return tool === undefined ? 'From the tool:' : `From the tool ${tool}:`;
    case 'assistant':
      return 'From my earlier answer:';
    case 'user':
      return 'From what you said before:';
    case 'rest':
      return 'From your message:';
  }
}

function endSentence(text: string): string {
  return /[.!?。!?…؟।:;]["'”’»)\]]*$/u.test(text) ? text : `${text}.`;
}

function disclose({ passages }: Conversation): string {
  const persona = findPersona(passages);
  return persona === '' ? DISCLOSURE : `${DISCLOSURE}, in the place of ${persona}`;
}

function introduceQuotes(quotes: readonly Sentence[], disclosure: string): string {
  const what = quotes.length === 1 ? 'the passage' : 'the passages';
  return `${disclosure}: it quotes ${what} of this conversation closest to your question.`;
}

function writeAsked(question: string): string {
  if (question === '') return 'Your message holds no words that I could read.';
  const verb = /[?？؟]["'”’»)\]]*$/u.test(question) ? 'asked' : 'wrote';
  return endSentence(`You ${verb}: “${clip(question, MAX_QUESTION_CHARACTERS)}”`);
}

function writeNoMatch({ passages }: Conversation, disclosure: string): string {
  const isAlone = passages.every(({ speaker }) => speaker === 'instructions');
  const gap = isAlone ? 'which holds nothing else yet' : 'and nothing else in it speaks to that';
  return `${disclosure}: it can only quote this conversation, ${gap}.`;
}

const UNREADABLE_NAMES: Readonly<Record<Unreadable, readonly [one: string, many: string]>> = {
  image: ['image', 'images'],
  recording: ['recording', 'recordings'],
  file: ['file', 'files'],
};

function writeUnreadable(unreadable: Conversation['unreadable']): string {
  const kinds: Unreadable[] = ['image', 'recording', 'file'];
  const parts = kinds
    .filter((kind) => unreadable[kind] > 0)
    .map((kind) => `${unreadable[kind]} ${UNREADABLE_NAMES[kind][unreadable[kind] === 1 ? 0 : 1]}`);
  if (parts.length === 0) return '';
  return `I cannot see images or open attachments, so ${parts.join(' and ')} went unread.`;
}
