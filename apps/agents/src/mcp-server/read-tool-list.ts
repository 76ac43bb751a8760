import { invalidRequest, isServiceError } from '@witan/contracts';
import { checkTool, DESCRIPTION_LENGTH_MAX } from '../tool/check-tool.ts';
import type { SchemaCaller, SchemaValidator } from '../tool/tool.ts';
import { hasHidden, withoutHidden, withReadableProse } from './hidden-text.ts';
import { readHeaderParams } from './param-headers.ts';
import type { ListedTool } from './mcp-server.ts';
import type { ReadTool } from './plan-snapshot.ts';

const LISTED_NAME_LENGTH_MAX = 256;
const PARAMETERS_LENGTH_MAX = 16_384;
/** Maximum number of tools that a server may list. Those of a workspace count once accepted. */
export const LISTED_TOOLS_MAX = 100;

type Context = SchemaCaller & { validator: Pick<SchemaValidator, 'findError'> };

/**
 * Reads the tools that a server lists. Hidden characters are removed from descriptions. A tool with
 * one in its name, or in a name or value of its schema, or with NUL anywhere, and one whose
 * description or schema cannot be used, gets a `problem`; entries that are no tools, and a repeated
 * name, are left out. Rejects with INVALID_REQUEST `mcp_server_failed` for more than 100 entries,
 * before any schema is checked.
 */
export const readToolList = async (
  items: readonly unknown[],
  context: Context,
): Promise<ReadTool[]> => {
  if (items.length > LISTED_TOOLS_MAX) {
    const message = `The server lists ${items.length} tools, more than ${LISTED_TOOLS_MAX}.`;
    throw invalidRequest(message, { code: 'mcp_server_failed', param: 'url' });
  }
  const listed = new Map<string, ReadTool>();
  for (const item of items) {
    const tool = toListedTool(item);
    if (tool && !listed.has(tool.name)) listed.set(tool.name, tool);
  }
  const tools: ReadTool[] = [];
  for (const tool of listed.values()) {
    tools.push({ ...tool, problem: tool.problem || (await findProblem(tool, context)) });
  }
  return tools;
};

const toListedTool = (item: unknown): ReadTool | undefined => {
  const { name, description, inputSchema } = (item ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') return undefined;
  const parameters = JSON.stringify(withReadableProse(inputSchema ?? null));
  const prose = typeof description === 'string' ? withoutHidden(description) : '';
  // A tool without a description is described by its name, because models choose by it.
  const text = prose.trim() === '' ? withoutHidden(name) : prose;
  const head = {
    // PostgreSQL stores no NUL.
    name: name.slice(0, LISTED_NAME_LENGTH_MAX).toWellFormed().replaceAll('\0', '\ufffd'),
    description: text.slice(0, DESCRIPTION_LENGTH_MAX).toWellFormed(),
  };
  if (hasHidden(name) || hasHiddenEscape(parameters) || String(description).includes('\0')) {
    const problem = 'Its name, description or schema has characters that cannot be seen.';
    return { ...head, parameters: '{}', headerParams: [], problem };
  }
  if (text.length > DESCRIPTION_LENGTH_MAX) {
    const problem = `Its description is longer than ${DESCRIPTION_LENGTH_MAX} characters.`;
    return { ...head, parameters: '{}', headerParams: [], problem };
  }
  if (parameters.length > PARAMETERS_LENGTH_MAX) {
    const problem = `Its schema is longer than ${PARAMETERS_LENGTH_MAX} characters.`;
    return { ...head, parameters: '{}', headerParams: [], problem };
  }
  const read = readHeaderParams(parameters);
  if ('problem' in read) return { ...head, parameters, headerParams: [], problem: read.problem };
  return { ...head, parameters: read.parameters, headerParams: read.params, problem: '' };
};

/** Returns whether a JSON text has a hidden character, which it may contain as an escape. */
const hasHiddenEscape = (json: string): boolean => hasHidden(json) || CONTROL_ESCAPE.test(json);

/** Escapes of control characters other than white space, as `JSON.stringify` writes them. */
const CONTROL_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:u00[01][0-9a-f]|b|f)/;

const findProblem = async (
  { description, parameters }: ListedTool,
  context: Context,
): Promise<string> => {
  try {
    await checkTool({ description, parameters }, context);
    return '';
  } catch (error) {
    if (isServiceError(error) && error.reason === 'INVALID_REQUEST') return error.message;
    throw error;
  }
};
