import type { JsonObject } from '@witan/dialects';

/**
 * JSON answer split into its field `thoughts` and its other fields; `content` is `rest` as JSON
 * text.
 */
export type PoppedThoughts = { thoughts: string; rest: JsonObject; content: string };

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
