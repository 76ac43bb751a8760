import type { Conversation, Passage } from './read-conversation.ts';
import { splitSentences } from './split-sentences.ts';

/** A sentence of the conversation, with where it comes from. */
export type Sentence = Pick<Passage, 'speaker' | 'label' | 'tool' | 'isFresh'> & {
  readonly text: string;
};

/** The words by which every offline answer says what it is; also how it knows its own answers. */
export const DISCLOSURE = "This is Witan's offline provider answering without a model";

const MAX_SENTENCES = 2_000;
const HEADING_LINE = /^(?:[ \t]*#{1,6}[ \t].*|.*:[ \t]*)$/gmu;

/**
 * The sentences that an answer may quote, in the order of the conversation, each text once, the
 * newest 2,000. Left out: headings; the instructions, which are for the model and not for whoever
 * reads its answer; and the offline provider's own earlier answers, whose quotes are in the
 * conversation already.
 */
export function gatherSentences(conversation: Conversation): Sentence[] {
  const seen = new Set<string>();
  return conversation.passages
    .filter(({ speaker }) => speaker !== 'instructions')
    .filter(({ speaker, text }) => speaker !== 'assistant' || !text.includes(DISCLOSURE))
    .flatMap(({ text, ...from }) => {
      return splitSentences(toProse(from.speaker, text)).map((sentence) => ({
        ...from,
        text: sentence,
      }));
    })
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(-MAX_SENTENCES);
}

function toProse(speaker: Passage['speaker'], text: string): string {
  return speaker === 'tool' ? text : text.replaceAll(HEADING_LINE, '');
}
