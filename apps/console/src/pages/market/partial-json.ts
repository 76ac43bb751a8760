type Open = { closer: '}' | ']'; isKeyNext: boolean };

/** A text that may have no end, a mark, or a number or name. */
const TOKENS = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}[\],:]|[^\s{}[\],:"]+/g;

/** A text up to its end, or up to an escape sequence that is not complete. */
const WHOLE_TEXT = /^"(?:[^"\\]|\\(?:[^u]|u[\da-fA-F]{4}))*/;

/**
 * Returns the value of a JSON text that is still being written: what is open is closed, and a
 * member or an item without a value is left out. Returns undefined if nothing has begun, or if the
 * text is not JSON.
 */
export const parsePartialJson = (text: string): unknown => {
  const stack: Open[] = [];
  let complete = '';
  const keep = (part: string): void => {
    complete =
      part +
      stack
        .map(({ closer }) => closer)
        .reverse()
        .join('');
  };
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    const end = index + token.length;
    const top = stack.at(-1);
    const isKey = top?.isKeyNext ?? false;
    if (token === '{' || token === '[') {
      stack.push({ closer: token === '{' ? '}' : ']', isKeyNext: token === '{' });
      keep(text.slice(0, end));
    } else if (token === '}' || token === ']') {
      stack.pop();
      keep(text.slice(0, end));
    } else if (token === ',' || token === ':') {
      if (top) top.isKeyNext = token === ',' && top.closer === '}';
    } else if (token.startsWith('"')) {
      if (!isKey) keep(`${text.slice(0, index)}${WHOLE_TEXT.exec(token)![0]}"`);
    } else if (!isKey && end < text.length) {
      // A number at the end may have more digits.
      keep(text.slice(0, end));
    }
  }
  return parse(complete);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Nothing has begun, or the model wrote something that is not JSON.
  }
};
