import type { Passage } from './read-conversation.ts';

export type RequestedField = { readonly name: string; readonly description: string };

/**
 * Matches a list item that starts with a quoted name, the form in which instructions list fields.
 */
export const FIELD_LINE = /^[ \t]*[-*•][ \t]+("(?:[^"\\\n]|\\.)*")(?::[ \t]*([^\n]*))?$/gmu;

const MAX_FIELDS = 100;

export function findRequestedFields(passages: readonly Passage[]): RequestedField[] {
  const found = new Map<string, RequestedField>();
  for (const { speaker, text } of passages) {
    if (speaker !== 'instructions') continue;
    for (const [, quoted = '', description = ''] of text.matchAll(FIELD_LINE)) {
      const name = parseName(quoted);
      if (name !== undefined && !found.has(name)) found.set(name, { name, description });
    }
  }
  return [...found.values()].slice(0, MAX_FIELDS);
}

function parseName(quoted: string): string | undefined {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined; // A text with an invalid escape is not a name.
  }
}

/**
 * Returns an object schema with the requested fields. Each has the type that its description begins
 * with; numbers and booleans may be null if the conversation does not state them.
 */
export function toFieldSchema(fields: readonly RequestedField[]): Record<string, unknown> {
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, description }) => [name, { ...typeOf(description), description }]),
    ),
    required: fields.map(({ name }) => name),
  };
}

const TYPES: readonly (readonly [RegExp, Readonly<Record<string, unknown>>])[] = [
  [/^(?:an? )?(?:list|array)\b|\[\]$/iu, { type: 'array', items: { type: 'string' } }],
  [/^(?:an? )?(?:number|integer|float)\b/iu, { type: ['number', 'null'] }],
  [/^(?:an? )?bool/iu, { type: ['boolean', 'null'] }],
];

function typeOf(description: string): Readonly<Record<string, unknown>> {
  const text = description.trim();
  return TYPES.find(([pattern]) => pattern.test(text))?.[1] ?? { type: 'string' };
}
