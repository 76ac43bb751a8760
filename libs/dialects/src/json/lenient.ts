import type { JsonObject } from '../dialect.ts';

/** The value when it is an object with members, else undefined. */
export const asObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;

/** The value when it is a list, else an empty one. */
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value when it is a text, else the empty one. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value when it is a finite number, else undefined. */
export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

/** The JSON object that a text holds, or undefined when it holds none. */
export const parseObject = (text: string): JsonObject | undefined => {
  try {
    return asObject(JSON.parse(text));
  } catch {
    // What is not JSON is not an object either; callers have one answer for both.
    return undefined;
  }
};
