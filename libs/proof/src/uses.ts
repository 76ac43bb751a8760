/**
 * Records what of a saved answer was hashed or compared. A gatherer marks a member where it uses
 * the member's value; the rest is what no certificate covers.
 */
export type Uses = {
  /** Marks a member of an object, with everything below it. */
  mark(holder: object, name: string): void;
  /** Marks members instead of those that were marked last with the same purpose. */
  markLast(purpose: string, holder: object, names: readonly string[]): void;
  /** Names something that is not a member, or that is missing although clients need it. */
  note(name: string): void;
};

export type UseRecorder = Uses & {
  /**
   * Returns the paths of the leaves of all parts of an answer that were not marked, and what was
   * noted. Without `hasUsage` the token counts were not compared.
   */
  unused(parts: readonly (object | undefined)[], hasUsage: boolean): string[];
};

/** Maximum number and length of the paths that are listed. */
const PATHS_MAX = 200;
const PATH_LENGTH_MAX = 80;

export function createUses(): UseRecorder {
  const marked = new Map<object, Set<string>>();
  const last = new Map<string, { holder: object; names: readonly string[] }>();
  const notes = new Set<string>();
  const mark = (holder: object, name: string): void => {
    const names = marked.get(holder) ?? new Set();
    marked.set(holder, names.add(name));
  };
  const visit = (value: unknown, path: string, found: Set<string>): void => {
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (entries.length === 0) found.add(path.slice(0, PATH_LENGTH_MAX));
    const names = marked.get(value as object);
    for (const [name, member] of entries) {
      if (!names?.has(name)) visit(member, pathOf(path, name, Array.isArray(value)), found);
    }
  };
  return {
    mark,
    markLast: (purpose, holder, names) => void last.set(purpose, { holder, names }),
    note: (name) => void notes.add(name.slice(0, PATH_LENGTH_MAX)),
    unused: (parts, hasUsage) => {
      for (const [purpose, { holder, names }] of last) {
        if (hasUsage || !purpose.startsWith('usage')) for (const name of names) mark(holder, name);
      }
      const found = new Set(notes);
      for (const part of parts) {
        const type = asString(asMembers(part)?.['type']);
        if (part === undefined) found.add('frames without a JSON object');
        else if (Object.keys(part).length === 0) found.add('frames with an empty object');
        else if (type !== '' && !marked.has(part)) found.add(`event ${type}`);
        else visit(part, '', found);
      }
      const paths = [...found];
      const omitted = paths.length - PATHS_MAX;
      return omitted <= 0 ? paths : [...paths.slice(0, PATHS_MAX), `and ${omitted} more`];
    },
  };
}

function pathOf(path: string, name: string, isItem: boolean): string {
  if (isItem) return `${path}[]`;
  return path === '' ? name : `${path}.${name}`;
}

export function asMembers(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Record<string, unknown>;
}

export function asString(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
