import { createRandom } from '@witan/testing/create-random';
import type { Random } from '@witan/testing/create-random';

export type Writer = {
  /** Returns text on one topic that fills about `chunks` chunks. */
  write: (chunks: number) => string;
  title: () => string;
};

/** Number of distinct words from which documents are written. */
const VOCABULARY = 400_000;
/**
 * The k-th word has a probability proportional to 1 / (k + ZIPF_SHIFT) ** ZIPF_POWER, similar to
 * English text.
 */
const ZIPF_POWER = 1.2;
const ZIPF_SHIFT = 4;
/** Number of less common words that recur in a document as its topic. */
const TOPIC_WORDS = 60;
const TOPIC_SHARE = 0.25;
/** Number of the most common words, which are never part of a topic. */
const FUNCTION_WORDS = 200;
const SENTENCE_WORDS = 14;
/** Number of words in a paragraph; one paragraph fills about one chunk. */
const PARAGRAPH_WORDS = 270;
const TITLE_WORDS = 3;

/**
 * Creates a writer of Zipf-distributed words that recur by topic, in paragraphs of about one chunk.
 */
export const createWriter = (random: Random): Writer => {
  const words = makeWords(createRandom(1));
  const sampleRank = createRankSampler(random);
  const sampleTopicRank = (): number => {
    const rankOfWord = sampleRank();
    return rankOfWord < FUNCTION_WORDS
      ? FUNCTION_WORDS + Math.floor(random.next() * 20_000)
      : rankOfWord;
  };
  const writeParagraph = (topic: readonly number[]): string => {
    const pieces: string[] = [];
    for (let index = 0; index < PARAGRAPH_WORDS; index += 1) {
      const isTopic = random.next() < TOPIC_SHARE;
      // Multiplying two random numbers chooses the first words of the topic most often.
      const rankOfWord = isTopic
        ? topic[Math.floor(random.next() * random.next() * TOPIC_WORDS)]!
        : sampleRank();
      const isLast = index % SENTENCE_WORDS === SENTENCE_WORDS - 1;
      pieces.push(isLast ? `${words[rankOfWord]!}.` : words[rankOfWord]!);
    }
    return pieces.join(' ');
  };
  return {
    write: (chunks) => {
      const topic = Array.from({ length: TOPIC_WORDS }, sampleTopicRank);
      return Array.from({ length: chunks }, () => writeParagraph(topic)).join('\n\n');
    },
    title: () => Array.from({ length: TITLE_WORDS }, () => words[sampleTopicRank()]!).join(' '),
  };
};

const ONSETS = [
  'b',
  'br',
  'c',
  'd',
  'f',
  'g',
  'gr',
  'h',
  'k',
  'l',
  'm',
  'n',
  'p',
  'r',
  's',
  'st',
  't',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ea', 'ou'];
const CODAS = ['', '', 'n', 'r', 's', 't', 'l', 'nd', 'ck'];
/** Number of the most common words, which have one syllable. */
const SHORT_WORDS = 60;
const MEDIUM_WORDS = 2_000;

const makeWords = (random: Random): string[] => {
  const pick = (from: readonly string[]): string => from[Math.floor(random.next() * from.length)]!;
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    const minSyllables = words.size < MEDIUM_WORDS ? 1 : 2;
    const syllableChoices = words.size < SHORT_WORDS ? 1 : words.size < MEDIUM_WORDS ? 2 : 3;
    const syllables = minSyllables + Math.floor(random.next() * syllableChoices);
    let word = '';
    for (let at = 0; at < syllables; at += 1) word += pick(ONSETS) + pick(VOWELS) + pick(CODAS);
    words.add(word);
  }
  return [...words];
};

const createRankSampler = (random: Random): (() => number) => {
  const sums = new Float64Array(VOCABULARY);
  let sum = 0;
  for (let rank = 0; rank < VOCABULARY; rank += 1)
    sums[rank] = sum += (rank + 1 + ZIPF_SHIFT) ** -ZIPF_POWER;
  return () => {
    const wanted = random.next() * sum;
    let low = 0;
    let high = VOCABULARY - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
};
