import type { Conversation, Passage } from './read-conversation.ts';
import { splitSentences } from './split-sentences.ts';

export type Sentence = Pick<Passage, 'speaker' | 'label' | 'tool' | 'isFresh'> & {
  readonly text: string;
};

/** Disclosure in every offline answer, by which the provider also recognizes its own answers. */
export const DISCLOSURE = "This is Witan's offline provider answering without a model";

const MAX_SENTENCES = 2_000;
const HEADING_LINE = /^(?:[ \t]*#{1,6}[ \t].*|.*:[ \t]*)$/gmu;

/**
 * Returns the sentences that an answer may quote, in conversation order, without duplicates, the
 * newest 2,000. Excluded are headings, instructions, which are not meant for the reader, and
 * earlier offline answers, whose quotes are in the conversation already.
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
