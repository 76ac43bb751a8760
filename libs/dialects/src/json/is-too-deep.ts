/** Maximum nesting of JSON text that is parsed; a deeper text could overflow the stack. */
export const MAX_JSON_DEPTH = 512;

/** Returns whether JSON text is nested deeper than `depthMax`. `text` must be JSON. */
export const isTooDeep = (text: string, depthMax: number = MAX_JSON_DEPTH): boolean => {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length && depth <= depthMax; at += 1) {
    const char = text[at];
    if (char === '"') isInText = !isInText;
    else if (isInText) at += char === '\\' ? 1 : 0;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
  }
  return depth > depthMax;
};
