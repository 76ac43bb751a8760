export const SYSTEM_TEXT = 'You are a careful adviser to a small company.';

export type Turn = { role: 'user' | 'assistant'; content: string };

/** Size that a body may have without a history; a larger one has a history before its question. */
const QUESTION_BYTES = 1_024;
/** Size as JSON of one question of the history with its answer. */
const ROUND_BYTES = 4_096;
const ASKED_BYTES = 2_048;
/** Code with quotes, line breaks and indentation, which JSON escapes. */
const CODE_TEXT = 'if (stock["A-17"] < 40) {\n  order({ item: "A-17", count: 12 });\n}\n';
const CODE_TIMES = 24;

/** Returns a history that, together with the last question, fills a body of this size. */
export const makeHistory = (bodyBytes: number): Turn[] => {
  const rounds = Math.floor((bodyBytes - QUESTION_BYTES) / ROUND_BYTES);
  return Array.from({ length: rounds }, (): Turn[] => [
    { role: 'user', content: fillText(ASKED_BYTES) },
    { role: 'assistant', content: CODE_TEXT.repeat(CODE_TIMES) },
  ]).flat();
};

/** Returns a body of exactly `bytes`: calls `make` with a text of the length that is missing. */
export const fillBody = (bytes: number, make: (text: string) => string): string =>
  make(fillText(bytes - make('').length));

const SENTENCE = 'What should the company do next quarter? ';

/** Placeholder that is replaced by a number in every call, so that no two questions are equal. */
export const SERIAL = '0000000';

/** Text with a name, an email address and a phone number, which Witan masks. */
const PERSONAL =
  'Ingrid Solberg, ingrid.solberg@fjordbank.no, +47 22 93 12 45, asks for her account. ';

export const openingOf = ({ isPersonal }: { isPersonal: boolean }): string =>
  `Step ${SERIAL} of the plan. ${isPersonal ? PERSONAL : ''}`;

/** Returns a text of this length without characters that JSON escapes. */
const fillText = (bytes: number): string =>
  SENTENCE.repeat(Math.max(0, Math.ceil(bytes / SENTENCE.length))).slice(0, Math.max(0, bytes));
