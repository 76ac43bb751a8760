import { openThoughtReader } from './open-thought-reader.ts';

/** A block of thoughts at the very beginning, by the tags that models write. */
const OPENING = /^\s*<\s*(?:thinking|think|reasoning|reflection)\b/i;

/**
 * An answer without the thoughts that a model put before it, for readers of JSON: a thought may
 * hold an object that is not the answer. Tags within the answer itself are part of it.
 */
export const dropLeadingThoughts = (text: string): string => {
  if (!OPENING.test(text)) return text;
  const reader = openThoughtReader();
  const shown = reader.push(text);
  return shown + reader.end().text;
};
