import { isRecord } from './is-record.ts';

const MAX_LINES = 500;
const MAX_DEPTH = 16;

/**
 * Returns JSON text as sentence-like lines, one per object (`high: 21, low: 12`), nested ones with
 * their path (`forecast (high: 21, low: 12)`). Text that is not a JSON object or array is returned
 * unchanged. Limited to 500 lines and 16 levels.
 */
export function jsonToProse(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) return text;
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    return text; // The text is prose that begins with a bracket.
  }
  const lines: string[] = [];
  addLines(value, [], lines);
  return lines.join('\n');
}

function addLines(value: unknown, path: readonly string[], lines: string[]): void {
  if (lines.length >= MAX_LINES || path.length > MAX_DEPTH) return;
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value ?? {});
  const named = members.map(([key, member]) => [String(key), member] as const);
  const plain = named.filter(([, member]) => isPlain(member));
  if (plain.length > 0) lines.push(formatMembers(plain, path, Array.isArray(value)));
  for (const [key, member] of named) {
    if (!isPlain(member)) addLines(member, Array.isArray(value) ? path : [...path, key], lines);
  }
}

function formatMembers(
  members: readonly (readonly [string, unknown])[],
  path: readonly string[],
  isList: boolean,
): string {
  const words = members.map(([key, value]) =>
    isList ? formatPlain(value) : `${key}: ${formatPlain(value)}`,
  );
  const list = words.join(', ');
  return path.length === 0 ? list : `${path.join(' ')} (${list})`;
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => !isRecord(item) && !Array.isArray(item));
  return !isRecord(value);
}

// Returns a value on one line, because a line break would end the sentence.
function formatPlain(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => formatPlain(item)).join(', ');
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : JSON.stringify(value);
}
