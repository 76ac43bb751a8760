/** What every conversation begins with. */
export const SYSTEM_TEXT = 'You are a careful adviser to a small company.';

/** One earlier turn of a conversation. */
export type Turn = { role: 'user' | 'assistant'; content: string };

/** Bodies up to that size are one question; larger ones are a long history and a question. */
const QUESTION_BYTES = 1_024;
/** One question and its answer, as JSON. */
const ROUND_BYTES = 4_096;
const ASKED_BYTES = 2_048;
/** Quotes, line breaks and indentation, as tools answer: they are escaped in JSON. */
const CODE_TEXT = 'if (stock["A-17"] < 40) {\n  order({ item: "A-17", count: 12 });\n}\n';
const CODE_TIMES = 24;

/** The turns that fill a body of that size but for its last question. */
export const makeHistory = (bodyBytes: number): Turn[] => {
  const rounds = Math.floor((bodyBytes - QUESTION_BYTES) / ROUND_BYTES);
  return Array.from({ length: rounds }, (): Turn[] => [
    { role: 'user', content: fillText(ASKED_BYTES) },
    { role: 'assistant', content: CODE_TEXT.repeat(CODE_TIMES) },
  ]).flat();
};

/** Makes a body exactly `bytes` long, by the length of the text in it. */
export const fillBody = (bytes: number, make: (text: string) => string): string =>
  make(fillText(bytes - make('').length));

const SENTENCE = 'What should the company do next quarter? ';

/** What clients write another number over in every call: no two questions are the same. */
export const SERIAL = '0000000';

/** Whom a question is about; each of them is masked. */
const PERSONAL =
  'Ingrid Solberg, ingrid.solberg@fjordbank.no, +47 22 93 12 45, asks for her account. ';

/** What the last question of a conversation begins with. */
export const openingOf = ({ isPersonal }: { isPersonal: boolean }): string =>
  `Step ${SERIAL} of the plan. ${isPersonal ? PERSONAL : ''}`;

/** None of its characters is escaped in JSON. */
const fillText = (bytes: number): string =>
  SENTENCE.repeat(Math.max(0, Math.ceil(bytes / SENTENCE.length))).slice(0, Math.max(0, bytes));
