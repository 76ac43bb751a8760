import type { ToolRun } from '@witan/contracts';
import { isTooDeep, parseExactly } from '@witan/dialects';

export const encodeToolRun = (run: ToolRun) => ({
  id: run.id,
  toolId: run.toolId === '' ? null : run.toolId,
  name: run.name,
  arguments: readObject(run.arguments),
  round: run.round,
  status: run.status,
  httpStatus: run.httpStatus ?? null,
  durationMs: run.durationMs,
  result: run.error === '' ? parseExactly(run.result) : null,
  error: run.error === '' ? null : run.error,
});

/**
 * Maximum nesting of tool arguments that are returned as JSON. More deeply nested ones would
 * overflow the stack when written, so they are returned as text.
 */
const DEPTH_MAX = 64;

const readObject = (text: string): unknown => {
  const json = text.trim() === '' ? '{}' : text;
  if (!json.trimStart().startsWith('{') || isTooDeep(json, DEPTH_MAX)) return text;
  try {
    return parseExactly(json);
  } catch {
    return text;
  }
};
