import { readMembers } from './read-members.ts';
import type { Member } from './read-members.ts';

/**
 * Edits of an object's members by key. An edit is the JSON text of a new value, edits inside the
 * value, or `null` to remove the member.
 */
export type MemberEdits = { readonly [key: string]: MemberEdit | null };

type MemberEdit = string | MemberEdits;

/**
 * Replaces, adds or removes members of a JSON object in its source text. Apart from commas and
 * white space between members, every other character is unchanged, so unknown fields, number
 * spellings and member order are preserved. `source` must be a valid JSON object. All occurrences
 * of a duplicate key are replaced, because parsers differ in which one they use.
 */
export const editMembers = (source: string, edits: MemberEdits): string => {
  const missing = new Set(Object.keys(edits));
  const members = readMembers(source);
  const isRetained = ({ key }: Member): boolean =>
    !Object.hasOwn(edits, key) || edits[key] !== null;
  const last = members.findLastIndex(isRetained);
  let editedText = source.slice(0, members[0]?.keyStart ?? source.lastIndexOf('}'));
  for (const [index, member] of members.entries()) {
    if (!isRetained(member)) continue;
    const { key, keyStart, start, end } = member;
    const value = Object.hasOwn(edits, key) ? edits[key] : undefined;
    missing.delete(key);
    const text = source.slice(start, end);
    editedText += source.slice(keyStart, start) + (value == null ? text : rewrite(text, value));
    if (index < last) editedText += source.slice(end, members[index + 1]!.keyStart);
  }
  const close = source.lastIndexOf('}');
  editedText += source.slice(members.at(-1)?.end ?? close, close);
  let separator = last >= 0 ? ',' : '';
  for (const key of missing) {
    const value = edits[key] ?? null;
    if (value === null) continue;
    editedText += `${separator}${JSON.stringify(key)}:${rewrite('{}', value)}`;
    separator = ',';
  }
  return editedText + source.slice(close);
};

const rewrite = (value: string, edit: MemberEdit): string => {
  if (typeof edit === 'string') return edit;
  return editMembers(value.startsWith('{') ? value : '{}', edit);
};
