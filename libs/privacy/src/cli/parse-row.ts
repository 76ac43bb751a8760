/** One line of the input: a text with its name. */
export type Row = { id: string; text: string };

/** An input that cannot be read: exit code 1. */
export class RowError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = 'RowError';
  }
}

/** Reads `{"id": ..., "text": ...}`; other members are ignored. `line` counts from 1. */
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
