/** What a model may write, as far as a reader of tags cares. */
export const ANSWER_KINDS = ['prose', 'dense tags', 'adversarial'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** A long answer of a model. */
export const ANSWER_BYTES = 65_536;

const PROSE =
  'The north grew because a rival left it (5 % < 6 %), and that will not last: take its customers ' +
  'now, with terms that they want to keep. ';
const TAGGED =
  'Noted. <MEMORY key="topic_12" type="decision">The margin stays above 30 percent.</MEMORY> ';
/** Every piece of it may begin a tag, and none does. */
const ALMOST = '<<<<<mem</memor<memory_<MEMO ';

const PIECES: Readonly<Record<AnswerKind, string>> = {
  prose: PROSE,
  'dense tags': TAGGED,
  adversarial: ALMOST,
};

/** A text of that kind, all of it ASCII, and the memories that are in it. */
export const makeAnswer = (kind: AnswerKind): { text: string; memories: number } => {
  const piece = PIECES[kind];
  const times = Math.floor(ANSWER_BYTES / piece.length);
  const text = piece.repeat(times).padEnd(ANSWER_BYTES);
  // All under one key: of two with one key the last counts.
  return { text, memories: kind === 'dense tags' ? 1 : 0 };
};

/** The text in pieces of its own memory, as they come out of JSON; 0: whole. */
export const cutAnswer = (text: string, chunkBytes: number): string[] => {
  const size = chunkBytes || text.length;
  return Array.from({ length: Math.ceil(text.length / size) }, (_, place) =>
    Buffer.from(text.slice(place * size, (place + 1) * size)).toString('latin1'),
  );
};
