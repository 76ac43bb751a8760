export type JsonProgress = {
  addPiece: (piece: string) => void;
  readonly isComplete: boolean;
};

/**
 * Creates a scanner that detects when streamed JSON text is complete. It scans every character
 * once, because parsing the text again after each piece would take quadratic time. A value that is
 * neither an object nor a list never counts as complete.
 */
export const createJsonProgress = (): JsonProgress => {
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  let isComplete = false;
  const addChar = (char: string): void => {
    if (isEscaped) isEscaped = false;
    else if (isInText) {
      if (char === '\\') isEscaped = true;
      else if (char === '"') isInText = false;
    } else if (char === '"') isInText = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) isComplete = true;
    }
  };
  return {
    addPiece: (piece) => {
      for (const char of piece) addChar(char);
    },
    get isComplete() {
      return isComplete;
    },
  };
};
