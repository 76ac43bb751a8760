import { FIELD_LINE } from './find-asked-fields.ts';
import type { Conversation, Passage } from './read-conversation.ts';
import { splitSentences } from './split-sentences.ts';

/** A sentence of the conversation, with where it comes from. */
export type Sentence = Pick<Passage, 'speaker' | 'tool' | 'isFresh'> & { readonly text: string };

/** The words by which every offline answer says what it is; also how it knows its own answers. */
export const DISCLOSURE = "This is Witan's offline provider answering without a model";

const MAX_SENTENCES = 2_000;
const HEADING_LINE = /^(?:[ \t]*#{1,6}[ \t].*|.*:[ \t]*)$/gmu;

// A tag with attributes, or one amid prose, shows the model how to write: to quote it is to write
// it.
const SHOWN_TAG = /<[A-Za-z]\w*\s+\w+=|\S\s*<[A-Za-z]\w*>/u;

// Orders to the model are not facts to quote. English only: elsewhere the ranking decides.
const INSTRUCTION = new RegExp(
  "^(?:you are|you're|you (?:must|should)|your (?:task|role|job|name|answer)|act as|answer|" +
    "respond|reply|always|never|do not|don't|be |use |keep |please|write|return only|output|speak)",
  'iu',
);

/**
 * The sentences that an answer may quote, in the order of the conversation, each text once, the
 * newest 2,000. Left out: headings; of the instructions also orders to the model, the fields that
 * it shall fill and the tags that it may write; and the offline provider's own earlier answers,
 * whose quotes are in the conversation already.
 */
export function gatherSentences(conversation: Conversation): Sentence[] {
  const seen = new Set<string>();
  return conversation.passages
    .filter(({ speaker, text }) => speaker !== 'assistant' || !text.includes(DISCLOSURE))
    .flatMap(({ text, ...from }) => {
      return splitSentences(toProse(from.speaker, text)).map((sentence) => ({
        ...from,
        text: sentence,
      }));
    })
    .filter(({ speaker, text }) => speaker !== 'instructions' || !isForModel(text))
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(-MAX_SENTENCES);
}

function toProse(speaker: Passage['speaker'], text: string): string {
  if (speaker === 'tool') return text;
  const listed = speaker === 'instructions' ? text.replaceAll(FIELD_LINE, '') : text;
  return listed.replaceAll(HEADING_LINE, '');
}

const isForModel = (text: string): boolean => INSTRUCTION.test(text) || SHOWN_TAG.test(text);
