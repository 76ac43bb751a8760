export const ANSWER_KINDS = ['prose', 'dense tags', 'adversarial'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

export const ANSWER_BYTES = 65_536;

const PROSE =
  'The north grew because a rival left it (5 % < 6 %), and that will not last: take its customers ' +
  'now, with terms that they want to keep. ';
const TAGGED =
  'Noted. <MEMORY key="topic_12" type="decision">The margin stays above 30 percent.</MEMORY> ';
/** Looks like the start of a memory tag at many positions, but contains no memory tag. */
const ALMOST_TAGS = '<<<<<mem</memor<memory_<MEMO ';

const REPEATED_TEXTS: Readonly<Record<AnswerKind, string>> = {
  prose: PROSE,
  'dense tags': TAGGED,
  adversarial: ALMOST_TAGS,
};

/**
 * Returns an ASCII text of the given kind and the number of memories that a parser must find in the
 * text.
 */
export const makeAnswer = (kind: AnswerKind): { text: string; memories: number } => {
  const piece = REPEATED_TEXTS[kind];
  const times = Math.floor(ANSWER_BYTES / piece.length);
  const text = piece.repeat(times).padEnd(ANSWER_BYTES);
  // All tags have the same key, so the parser returns only the last one.
  return { text, memories: kind === 'dense tags' ? 1 : 0 };
};

/**
 * Splits an answer into pieces of `chunkBytes`, or returns it as one piece if `chunkBytes` is 0.
 * Each piece is allocated separately, like the strings that JSON parsing yields.
 */
export const splitAnswer = (text: string, chunkBytes: number): string[] => {
  const size = chunkBytes || text.length;
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    Buffer.from(text.slice(index * size, (index + 1) * size)).toString('latin1'),
  );
};
