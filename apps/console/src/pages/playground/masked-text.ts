import type { Preview } from './playground-query.ts';

export type MaskedValue = Preview['masked'][number];

/** A stretch of a text: as it is, or a placeholder with the value that it stands for. */
export type Stretch = { text: string } | { placeholder: string; masked: MaskedValue };

export type MaskedText = {
  /** Where the text is in the body, such as `messages[0].content`. */
  path: string;
  stretches: Stretch[];
};

/** Members whose texts name something; they are neither instructions nor questions. */
const NAMES: ReadonlySet<string> = new Set(['id', 'model', 'role', 'type']);

/** Returns the texts of the body that the provider would get, in the order of the body. */
export const readMaskedTexts = ({ egress, masked }: Preview): MaskedText[] => {
  const values = new Map(masked.map((one) => [one.placeholder.toLowerCase(), one]));
  return listTexts(JSON.parse(egress.body), '').map(({ path, text }) => ({
    path,
    stretches: splitAtPlaceholders(text, values),
  }));
};

type TextAt = { path: string; text: string };

const listTexts = (value: unknown, path: string): TextAt[] => {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, at) => listTexts(item, `${path}[${at}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => !NAMES.has(name))
    .flatMap(([name, member]) => listTexts(member, path === '' ? name : `${path}.${name}`));
};

/** A placeholder in brackets, or bare where a provider accepts no brackets. */
const PLACEHOLDER = /\[\[(\w+)\]\]|\b([A-Za-z_]+_[A-Za-z2-7]{6}(?:_\d+)?)\b/g;

const splitAtPlaceholders = (text: string, values: ReadonlyMap<string, MaskedValue>): Stretch[] => {
  const stretches: Stretch[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [placeholder, bracketed, bare] = match;
    const masked = values.get((bracketed ?? bare ?? '').toLowerCase());
    if (masked === undefined) continue;
    if (match.index > end) stretches.push({ text: text.slice(end, match.index) });
    stretches.push({ placeholder, masked });
    end = match.index + placeholder.length;
  }
  if (end < text.length) stretches.push({ text: text.slice(end) });
  return stretches;
};
