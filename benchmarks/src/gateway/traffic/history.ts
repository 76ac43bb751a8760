export const SYSTEM_TEXT = 'You are a careful adviser to a small company.';

export type HistoryMessage = { role: 'user' | 'assistant'; content: string };

/**
 * Minimum number of bytes that the history leaves to the rest of a request body, such as the last
 * question.
 */
const QUESTION_BYTES = 1_024;
/** Upper bound of the size as JSON of one question of the history and its answer. */
const EXCHANGE_BYTES = 4_096;
const HISTORY_QUESTION_BYTES = 2_048;
/** Code with quotes, line breaks and indentation, which JSON escapes. */
const CODE_TEXT = 'if (stock["A-17"] < 40) {\n  order({ item: "A-17", count: 12 });\n}\n';
const CODE_REPEATS = 24;

/** Returns a history that, together with the last question, fills a body of `bodyBytes`. */
export const makeHistory = (bodyBytes: number): HistoryMessage[] => {
  const exchanges = Math.floor((bodyBytes - QUESTION_BYTES) / EXCHANGE_BYTES);
  return Array.from({ length: exchanges }, (): HistoryMessage[] => [
    { role: 'user', content: fillText(HISTORY_QUESTION_BYTES) },
    { role: 'assistant', content: CODE_TEXT.repeat(CODE_REPEATS) },
  ]).flat();
};

/**
 * Returns a body of exactly `bytes`: calls `make` with a text that fills the bytes left over by the
 * rest.
 */
export const fillBody = (bytes: number, make: (text: string) => string): string =>
  make(fillText(bytes - make('').length));

const SENTENCE = 'What should the company do next quarter? ';

/** Text with a name, an email address and a phone number, which Witan masks. */
const PERSONAL_DATA =
  'Ingrid Solberg, ingrid.solberg@fjordbank.no, +47 22 93 12 45, asks for her account. ';

export const toQuestionStart = ({ isPersonal }: { isPersonal: boolean }): string =>
  `Step ${SERIAL_PLACEHOLDER} of the plan. ${isPersonal ? PERSONAL_DATA : ''}`;

/** Returns a text of `bytes` bytes without characters that JSON escapes. */
const fillText = (bytes: number): string =>
  SENTENCE.repeat(Math.max(0, Math.ceil(bytes / SENTENCE.length))).slice(0, Math.max(0, bytes));

export type RequestShape = {
  model: string;
  isStreamed: boolean;
  /** Set if the question contains personal data. */
  isPersonal?: boolean;
  bodyBytes: number;
};

/** Frames of a stream: `opening` before the text, `texts` with the text, `closing` after it. */
export type StreamFrames = {
  opening: readonly string[];
  texts: readonly string[];
  closing: readonly string[];
};

export type Traffic = {
  path: string;
  /** Request headers of a client in addition to its API key. */
  headers: Readonly<Record<string, string>>;
  /** Returns a request body of exactly `bodyBytes`. */
  makeRequest: (shape: RequestShape) => string;
  /** Returns a provider's response, not streamed, of exactly `bytes`. */
  makeAnswer: (bytes: number) => string;
  /** Returns a provider's stream with `texts` text frames. */
  makeFrames: (texts: number) => StreamFrames;
};

/** Replaced by a number in every call, so that no two questions are equal. */
export const SERIAL_PLACEHOLDER = '0000000';
/** Replaced by the id of a chat session, which has the same length. */
export const SESSION_PLACEHOLDER = 'ses_0000000000000000000000';
