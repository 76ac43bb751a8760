/**
 * Characters that a reader does not see, but a model does: control characters except white space,
 * those that change the direction of text, zero-width ones that join no letters, tags (U+E0000),
 * and selectors of variants beyond those of emoji.
 */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

export const withoutHidden = (text: string): string => text.replaceAll(HIDDEN, '');

export const hasHidden = (text: string): boolean => withoutHidden(text) !== text;

/** Members of a schema that only people and models read. */
const PROSE: ReadonlySet<string> = new Set(['description', 'title', '$comment']);

/**
 * Returns a schema whose descriptions have no hidden characters. Those in names and values stay,
 * because arguments must match them.
 */
export const withReadableProse = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withReadableProse);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]: [string, unknown]) => [
      name,
      PROSE.has(name) && typeof value === 'string'
        ? withoutHidden(value)
        : withReadableProse(value),
    ]),
  );
};
