export const SYSTEM_TEXT = 'You are a careful adviser to a small company.';

export type Turn = { role: 'user' | 'assistant'; content: string };

/** Smaller bodies contain one question; larger ones a history and a question. */
const QUESTION_BYTES = 1_024;
/** Size of one question and its answer as JSON. */
const ROUND_BYTES = 4_096;
const ASKED_BYTES = 2_048;
/** Code with quotes, line breaks and indentation, which JSON escapes. */
const CODE_TEXT = 'if (stock["A-17"] < 40) {\n  order({ item: "A-17", count: 12 });\n}\n';
const CODE_TIMES = 24;

/** Returns turns that fill a body of that size, except for its last question. */
export const makeHistory = (bodyBytes: number): Turn[] => {
  const rounds = Math.floor((bodyBytes - QUESTION_BYTES) / ROUND_BYTES);
  return Array.from({ length: rounds }, (): Turn[] => [
    { role: 'user', content: fillText(ASKED_BYTES) },
    { role: 'assistant', content: CODE_TEXT.repeat(CODE_TIMES) },
  ]).flat();
};

/** Makes a body of exactly `bytes`, by adjusting the length of its text. */
export const fillBody = (bytes: number, make: (text: string) => string): string =>
  make(fillText(bytes - make('').length));

const SENTENCE = 'What should the company do next quarter? ';

/** Placeholder that is replaced by a number in every call, so that no two questions are equal. */
export const SERIAL = '0000000';

/** Text with personal data, all of which is masked. */
const PERSONAL =
  'Ingrid Solberg, ingrid.solberg@fjordbank.no, +47 22 93 12 45, asks for her account. ';

export const openingOf = ({ isPersonal }: { isPersonal: boolean }): string =>
  `Step ${SERIAL} of the plan. ${isPersonal ? PERSONAL : ''}`;

/** Returns text without characters that JSON escapes. */
const fillText = (bytes: number): string =>
  SENTENCE.repeat(Math.max(0, Math.ceil(bytes / SENTENCE.length))).slice(0, Math.max(0, bytes));
