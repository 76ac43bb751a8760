import type { ToolRun } from '@witan/contracts';
import { isTooDeep, parseExactly } from '@witan/dialects';
import { encodeAs } from '../../http/encode.ts';
import { TOOL_RUN } from './tool-run-schema.ts';

export const encodeToolRun = (run: ToolRun) =>
  encodeAs(TOOL_RUN, run, {
    arguments: readObject(run.arguments),
    result: run.error === '' ? parseExactly(run.result) : null,
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
