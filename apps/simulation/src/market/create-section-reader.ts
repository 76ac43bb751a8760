export type DisplayPiece = { kind: 'section'; name: string } | { kind: 'delta'; text: string };

const SECTIONS: ReadonlySet<string> = new Set([
  'marketSize',
  'trends',
  'competitors',
  'recommendations',
  'assumptions',
]);
const NAME_LENGTH_MAX = 40;
/**
 * Number of last characters that are buffered until the JSON object begins. At least the length of
 * the longest end tag of a reasoning block, because the tag may be split between pieces.
 */
const TAIL_LENGTH = 40;

/**
 * Creates a reader that splits a streamed JSON answer into pieces for display: the text of the
 * outermost object, and the name of each section once its colon has been read.
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

  const readBeginning = (text: string): string => {
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
      const displayed: DisplayPiece[] = [];
      const text = isOver ? '' : readBeginning(piece);
      let position = 0;
      let index = 0;
      while (index < text.length && !isOver) {
        const name = step(text[index]!);
        index += 1;
        if (name === undefined) continue;
        reported.add(name);
        displayed.push(
          { kind: 'delta', text: text.slice(position, index) },
          { kind: 'section', name },
        );
        position = index;
      }
      if (index > position) displayed.push({ kind: 'delta', text: text.slice(position, index) });
      return displayed;
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

/**
 * Matches the opening tag of a reasoning block, which some local models write before the answer.
 */
const OPENING = /^\s*<(think|thinking|thoughts?|reasoning)>/iu;

const findReasoningTag = (text: string): string | undefined =>
  OPENING.exec(text)?.[1]?.toLowerCase();

export const skipReasoning = (text: string): string => {
  const tag = findReasoningTag(text);
  if (tag === undefined) return text;
  const end = text.toLowerCase().indexOf(`</${tag}>`);
  return end === -1 ? '' : text.slice(end + tag.length + '</>'.length);
};
