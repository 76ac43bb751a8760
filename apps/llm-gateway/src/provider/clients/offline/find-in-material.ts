import { findLabelled, findNamedOptions, listAllNumbers } from './find-labelled.ts';
import type { Sentence } from './gather-sentences.ts';
import { rankSentences } from './rank-sentences.ts';
import { splitTerms } from './split-terms.ts';
import type { Hint, ValueFinder } from './value-finder.ts';

export type Material = {
  readonly question: string;
  readonly answer: string;
  readonly sentences: readonly Sentence[];
};

const MAX_SENTENCES = 40;
const MAX_LIST_ITEMS = 3;
const NEGATION = /\b(?:no|not|never|without|cannot|nicht|kein|keine|pas|sans|nunca|non)\b|n't\b/iu;

// Names of properties whose value is the whole answer.
const ANSWER_NAMES = new Set(
  `answer content text summary response reply message output result explanation analysis conclusion
  reasoning thoughts`.split(/\s+/u),
);

/**
 * Creates a finder of values for a structured answer. It searches the conversation: first labelled
 * values ("price: 5" for `price`), then the sentence closest to the property's name and
 * description, then by relevance to the question.
 */
export function createMaterialFinder(material: Material): ValueFinder {
  const sentences = material.sentences.slice(0, MAX_SENTENCES);
  const words = [material.question, ...sentences.map(({ text }) => text)].join('\n');
  return {
    findText: (hint) => findText(material, sentences, hint),
    findNumber: (hint) => findNumber(sentences, hint),
    findBoolean: (hint) => findBoolean(sentences, hint),
    findPattern: (form) => form.exec(words)?.[0],
    findNamed: (options) => findNamedOptions(words, options),
    countItems: () => Math.min(MAX_LIST_ITEMS, sentences.length),
  };
}

function findText(
  material: Material,
  sentences: readonly Sentence[],
  hint: Hint,
): string | undefined {
  if (hint.ordinal === 0 && (hint.name === '' || ANSWER_NAMES.has(hint.name.toLowerCase()))) {
    return material.answer;
  }
  if (/^question$/iu.test(hint.name)) return material.question;
  const labelled = findFirstLabelled(sentences, hint);
  if (labelled !== undefined) return labelled;
  return sortByHint(sentences, hint)[hint.ordinal]?.text;
}

function findNumber(sentences: readonly Sentence[], hint: Hint): number | undefined {
  const labelled = listAllNumbers(findFirstLabelled(sentences, hint) ?? '')[0];
  if (labelled !== undefined) return labelled.value;
  const terms = new Set(splitTerms(hint.name));
  const isNamed = (text: string): boolean => splitTerms(text).some((term) => terms.has(term));
  const numbers = sentences
    .filter(({ text }) => isNamed(text))
    .flatMap(({ text }) => listAllNumbers(text));
  // Prefers numbers that the name follows: in "3 offices and nine months", 3 belongs to "offices".
  const own = numbers.filter(({ after }) => isNamed(after.split(/\s+/u, 2).join(' ')));
  return (own.length > 0 ? own : numbers)[hint.ordinal]?.value;
}

function findBoolean(sentences: readonly Sentence[], hint: Hint): boolean | undefined {
  const labelled = findFirstLabelled(sentences, hint);
  if (labelled !== undefined && /^(?:true|false|yes|no)$/iu.test(labelled)) {
    return /^(?:true|yes)$/iu.test(labelled);
  }
  const terms = splitTerms(hint.name);
  const matching = sentences.find(({ text }) => {
    const sentenceTerms = new Set(splitTerms(text));
    return terms.length > 0 && terms.every((term) => sentenceTerms.has(term));
  });
  return matching === undefined ? undefined : !NEGATION.test(matching.text);
}

function findFirstLabelled(sentences: readonly Sentence[], { name }: Hint): string | undefined {
  for (const { text } of sentences) {
    const value = findLabelled(text, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function sortByHint(sentences: readonly Sentence[], { name, description }: Hint): Sentence[] {
  return rankSentences(`${name} ${description}`, sentences).map(({ sentence }) => sentence);
}
