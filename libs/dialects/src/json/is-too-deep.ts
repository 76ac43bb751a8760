/** Maximum nesting of JSON text that is parsed; a deeper text could overflow the stack. */
export const MAX_JSON_DEPTH = 512;

/** Returns whether JSON text is nested deeper than `depthMax`. `text` must be JSON. */
export const isTooDeep = (text: string, depthMax: number = MAX_JSON_DEPTH): boolean => {
  let depth = 0;
  let isInText = false;
  for (let offset = 0; offset < text.length && depth <= depthMax; offset += 1) {
    const char = text[offset];
    if (char === '"') isInText = !isInText;
    else if (isInText) offset += char === '\\' ? 1 : 0;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
  }
  return depth > depthMax;
};
