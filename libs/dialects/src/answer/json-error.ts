/** Reason why an answer is not the JSON object that was requested. It never quotes the answer. */
export type JsonError =
  | { kind: 'empty' | 'too-large' | 'too-deep' | 'no-object' | 'not-an-object' | 'cut-off' }
  /** Line and column count from 1, in the answer without its code fence. */
  | { kind: 'malformed'; problem: string; line: number; column: number }
  | { kind: 'missing-fields'; names: readonly string[] };

const SENTENCES: Readonly<
  Record<Exclude<JsonError['kind'], 'malformed' | 'missing-fields'>, string>
> = {
  empty: 'it was empty',
  'too-large': 'it was too long',
  'too-deep': 'it was nested too deeply',
  'no-object': 'it held no JSON object',
  'not-an-object': 'its outermost value was not an object',
  'cut-off': 'it was cut off before its end; say the same in fewer words',
};

export const toRetryInstruction = (error: JsonError): string =>
  `Your last answer could not be used: ${describeJsonError(error)}. ` +
  'Answer again with the whole JSON object and nothing else: no text around it, no code fence.';

export const describeJsonError = (error: JsonError): string => {
  if (error.kind === 'malformed') {
    const { problem, line, column } = error;
    return `it is not valid JSON (line ${line}, column ${column}: ${problem})`;
  }
  if (error.kind === 'missing-fields') {
    const names = error.names.map((name) => JSON.stringify(name));
    return `these fields are missing: ${names.join(', ')}`;
  }
  return SENTENCES[error.kind];
};
