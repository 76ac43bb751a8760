export type Row = { id: string; text: string };

export class RowError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = 'RowError';
  }
}

/**
 * Parses a line `{"id": ..., "text": ...}` and ignores other members. `line` is its number, from 1,
 * for error messages.
 */
export function parseRow(json: string, line: number): Row {
  const value = parseJson(json, line);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RowError(line, 'is no JSON object');
  const { id, text } = value as { id?: unknown; text?: unknown };
  if (typeof id !== 'string') throw new RowError(line, 'has no string "id"');
  if (typeof text !== 'string') throw new RowError(line, 'has no string "text"');
  return { id, text };
}

function parseJson(json: string, line: number): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowError(line, `is no JSON: ${reason}`);
  }
}
