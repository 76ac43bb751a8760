import type { ToolRun } from '@witan/contracts';
import { isTooDeep, parseExactly } from '@witan/dialects';

/** How one call of a tool went; `arguments` as the object that the model wrote, or its text. */
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

/** Deeper ones were not sent, and take the stack of who writes them as JSON. */
const DEPTH_MAX = 64;

const readObject = (text: string): unknown => {
  const json = text.trim() === '' ? '{}' : text;
  if (!json.trimStart().startsWith('{') || isTooDeep(json, DEPTH_MAX)) return text;
  try {
    return parseExactly(json);
  } catch {
    // What the model wrote is shown as it is.
    return text;
  }
};
