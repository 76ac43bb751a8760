import type { JsonObject } from '@witan/dialects';

/** An answer and the reasoning that stood in it. `content` is the JSON text of `rest`. */
export type PoppedThoughts = { thoughts: string; rest: JsonObject; content: string };

/**
 * Takes the field `thoughts` out of an answer (Seed 4.1 rule 5); empty when it was not there. A
 * model may list its thoughts: then they stand one a line.
 */
export const popThoughts = (object: JsonObject): PoppedThoughts => {
  const { thoughts, ...rest } = object;
  return { thoughts: toThoughts(thoughts), rest, content: JSON.stringify(rest) };
};

const toThoughts = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(toThoughts).join('\n');
  return JSON.stringify(value);
};
