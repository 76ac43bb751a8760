import type { Conversation, Passage } from './read-conversation.ts';
import { splitSentences } from './split-sentences.ts';

/** A sentence of the conversation, with where it comes from. */
export type Sentence = Pick<Passage, 'speaker' | 'tool' | 'isFresh'> & { readonly text: string };

/** The words by which every offline answer says what it is; also how it knows its own answers. */
export const DISCLOSURE = "This is Witan's offline provider answering without a model";

const MAX_SENTENCES = 2_000;
const HEADING_LINE = /^(?:[ \t]*#{1,6}[ \t].*|.*:[ \t]*)$/gmu;

// Orders to the model are not facts to quote. English only: elsewhere the ranking decides.
const INSTRUCTION = new RegExp(
  "^(?:you are|you're|you (?:must|should)|your (?:task|role|job|name|answer)|act as|answer|" +
    "respond|reply|always|never|do not|don't|be |use |keep |please|write|return only|output|speak)",
  'iu',
);

/**
 * The sentences that an answer may quote, in the order of the conversation, each text once, the
 * newest 2,000. Left out: headings, orders to the model in the instructions, and the offline
 * provider's own earlier answers, whose quotes are in the conversation already.
 */
export function gatherSentences(conversation: Conversation): Sentence[] {
  const seen = new Set<string>();
  return conversation.passages
    .filter(({ speaker, text }) => speaker !== 'assistant' || !text.includes(DISCLOSURE))
    .flatMap(({ text, ...from }) => {
      const prose = from.speaker === 'tool' ? text : text.replaceAll(HEADING_LINE, '');
      return splitSentences(prose).map((sentence) => ({ ...from, text: sentence }));
    })
    .filter(({ speaker, text }) => speaker !== 'instructions' || !INSTRUCTION.test(text))
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(-MAX_SENTENCES);
}
