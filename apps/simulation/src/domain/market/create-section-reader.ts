import { findReasoningTag, skipReasoning } from './skip-reasoning.ts';

export type DisplayPiece = { kind: 'section'; name: string } | { kind: 'delta'; text: string };

const SECTIONS: ReadonlySet<string> = new Set([
  'marketSize',
  'trends',
  'competitors',
  'recommendations',
  'assumptions',
]);
const NAME_LENGTH_MAX = 40;
/** Must be at least as long as the longest end tag of a reasoning block. */
const TAIL_LENGTH = 40;

/**
 * Creates a reader of a streamed JSON answer. It returns the displayable pieces: the text of the
 * outermost object, and a section's name after its colon. It reads each character once and stores
 * no returned text.
 */
export const createSectionReader = () => {
  const state = { depth: 0, isInText: false, isEscaped: false, name: '', isKey: false };
  const reported = new Set<string>();
  let opening: string | undefined = '';
  let isOver = false;

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
  const isNew = (name: string): boolean => SECTIONS.has(name) && !reported.has(name);

  const begin = (text: string): string => {
    if (opening === undefined) return text;
    opening += text;
    const visible = skipReasoning(opening);
    const index = visible.indexOf('{');
    if (index === -1) {
      const tag = findReasoningTag(opening);
      opening = `${tag === undefined ? '' : `<${tag}>`}${opening.slice(-TAIL_LENGTH)}`;
      return '';
    }
    opening = undefined;
    return visible.slice(index);
  };

  return {
    push: (piece: string): DisplayPiece[] => {
      const shown: DisplayPiece[] = [];
      const text = isOver ? '' : begin(piece);
      let from = 0;
      let index = 0;
      while (index < text.length && !isOver) {
        const name = step(text[index]!);
        index += 1;
        if (name === undefined) continue;
        reported.add(name);
        shown.push({ kind: 'delta', text: text.slice(from, index) }, { kind: 'section', name });
        from = index;
      }
      if (index > from) shown.push({ kind: 'delta', text: text.slice(from, index) });
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
