import type { Passage } from './read-conversation.ts';

/** A field that the instructions want in a JSON answer, with what they say of it. */
export type AskedField = { readonly name: string; readonly description: string };

/** A list item that is a name in quotes: how instructions list the fields of an answer. */
export const FIELD_LINE = /^[ \t]*[-*•][ \t]+("(?:[^"\\\n]|\\.)*")(?::[ \t]*([^\n]*))?$/gmu;

const MAX_FIELDS = 100;

/** The fields that the instructions list, each name once, in their order; at most 100. */
export function findAskedFields(passages: readonly Passage[]): AskedField[] {
  const found = new Map<string, AskedField>();
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
    return undefined; // A broken escape names nothing.
  }
}

/**
 * A schema of an object with these fields, each of the type that its description names first, or
 * null where the conversation does not say.
 */
export function toFieldSchema(fields: readonly AskedField[]): Record<string, unknown> {
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
