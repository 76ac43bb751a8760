import type { ToolRun } from '@witan/contracts';
import { parseExactly } from '@witan/dialects';

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

const readObject = (text: string): unknown => {
  try {
    const value = parseExactly(text === '' ? '{}' : text);
    return typeof value === 'object' ? value : text;
  } catch {
    // What the model wrote is shown as it is.
    return text;
  }
};
