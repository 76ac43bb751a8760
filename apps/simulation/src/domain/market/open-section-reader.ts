import { findThoughtTag, skipThoughts } from './skip-thoughts.ts';

/** A piece of an answer for whoever watches it come. */
export type ShownPiece = { kind: 'section'; name: string } | { kind: 'delta'; text: string };

/** Parts whose beginning is told. */
const SECTIONS: ReadonlySet<string> = new Set([
  'marketSize',
  'trends',
  'competitors',
  'recommendations',
  'assumptions',
]);
/** Longer names are no section's. */
const NAME_LENGTH_MAX = 40;
/** Holds every tag that ends thoughts. */
const TAIL_LENGTH = 40;

/**
 * Shows a JSON answer as it comes, however it is cut: the text of its outermost object and nothing
 * around it, and where a part of it begins, its name. A name comes behind its colon: the text that
 * follows it is its value. Reads each character once, keeps no text that it has shown.
 */
export const openSectionReader = () => {
  const state = { depth: 0, isInText: false, isEscaped: false, name: '', isKey: false };
  const told = new Set<string>();
  let opening: string | undefined = '';
  let isOver = false;

  /** The name that a colon ends here, if it is one that is told. */
  const step = (char: string): string | undefined => {
    if (state.isInText) {
      readText(state, char);
      return undefined;
    }
    if (char === '"') {
      Object.assign(state, { isInText: true, name: '', isKey: false });
      return undefined;
    }
    if (char === ':' && state.depth === 1 && state.isKey && isNew(state.name)) return state.name;
    if (char === '{' || char === '[') state.depth += 1;
    else if (char === '}' || char === ']') state.depth -= 1;
    if (!/\s/u.test(char)) state.isKey = false;
    isOver = state.depth === 0;
    return undefined;
  };
  const isNew = (name: string): boolean => SECTIONS.has(name) && !told.has(name);

  /** The text from the object's brace on; nothing before it has come. */
  const begin = (text: string): string => {
    if (opening === undefined) return text;
    opening += text;
    const said = skipThoughts(opening);
    const at = said.indexOf('{');
    if (at === -1) {
      const tag = findThoughtTag(opening);
      // Of thoughts that go on only their tag counts, and what may be the beginning of their end.
      opening = `${tag === undefined ? '' : `<${tag}>`}${opening.slice(-TAIL_LENGTH)}`;
      return '';
    }
    opening = undefined;
    return said.slice(at);
  };

  return {
    push: (piece: string): ShownPiece[] => {
      const shown: ShownPiece[] = [];
      const text = isOver ? '' : begin(piece);
      let from = 0;
      let at = 0;
      while (at < text.length && !isOver) {
        const name = step(text[at]!);
        at += 1;
        if (name === undefined) continue;
        told.add(name);
        shown.push({ kind: 'delta', text: text.slice(from, at) }, { kind: 'section', name });
        from = at;
      }
      if (at > from) shown.push({ kind: 'delta', text: text.slice(from, at) });
      return shown;
    },
  };
};

type TextState = { isInText: boolean; isEscaped: boolean; name: string; isKey: boolean };

const readText = (state: TextState, char: string): void => {
  if (state.isEscaped) state.isEscaped = false;
  else if (char === '\\') state.isEscaped = true;
  else if (char === '"') {
    Object.assign(state, { isInText: false, isKey: true });
    return;
  }
  if (state.name.length < NAME_LENGTH_MAX) state.name += char;
};
