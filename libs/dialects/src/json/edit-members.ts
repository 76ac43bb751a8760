import { readMembers } from './read-members.ts';

/** New values for members by key: JSON text, or edits of what stands inside the member. */
export type MemberEdits = { readonly [key: string]: string | MemberEdits };

/**
 * Replaces or adds members of a JSON object in its source text and leaves every other character as
 * it is: unknown fields, number spellings and member order survive exactly. `source` must be the
 * text of a JSON object (it has been parsed before). A key that stands twice is replaced twice,
 * because parsers differ in which one counts.
 */
export const editMembers = (source: string, edits: MemberEdits): string => {
  const missing = new Set(Object.keys(edits));
  let edited = '';
  let copied = 0;
  const members = readMembers(source);
  for (const { key, start, end } of members) {
    const value = Object.hasOwn(edits, key) ? edits[key] : undefined;
    if (value === undefined) continue;
    edited += source.slice(copied, start) + rewrite(source.slice(start, end), value);
    copied = end;
    missing.delete(key);
  }
  const close = source.lastIndexOf('}');
  edited += source.slice(copied, close);
  let separator = members.length > 0 ? ',' : '';
  for (const key of missing) {
    edited += `${separator}${JSON.stringify(key)}:${rewrite('{}', edits[key]!)}`;
    separator = ',';
  }
  return edited + source.slice(close);
};

/** A member that is no object has nothing inside to keep: its edits make a new object. */
const rewrite = (value: string, edit: string | MemberEdits): string => {
  if (typeof edit === 'string') return edit;
  return editMembers(value.startsWith('{') ? value : '{}', edit);
};
