import { isTooDeep, parseExactly } from '@witan/dialects';
import { JSON_DEPTH_MAX } from './check-tool.ts';
import type { SchemaCaller, SchemaValidator } from './tool.ts';

/** Maximum length of a tool call's arguments in UTF-16 units, more than models usually write. */
export const ARGUMENTS_LENGTH_MAX = 65_536;

export const NO_ARGUMENTS = '{}';

type ReadArguments = { value: object } | { error: string };

/**
 * Parses a model's arguments and validates them against the tool's schema. Numbers are preserved
 * exactly.
 */
export const readArguments = async (
  text: string,
  schema: string,
  {
    validator,
    ...schemaCaller
  }: SchemaCaller & { validator: Pick<SchemaValidator, 'findViolations'> },
): Promise<ReadArguments> => {
  if (text.trim() === '')
    return readArguments(NO_ARGUMENTS, schema, { validator, ...schemaCaller });
  if (text.length > ARGUMENTS_LENGTH_MAX) {
    return { error: `The arguments are longer than ${ARGUMENTS_LENGTH_MAX} characters.` };
  }
  if (isTooDeep(text, JSON_DEPTH_MAX)) {
    return { error: `The arguments are nested deeper than ${JSON_DEPTH_MAX} levels.` };
  }
  const value = parse(text);
  if (!value) return { error: 'The arguments must be one JSON object, and nothing else.' };
  const violations = await validator.findViolations({ schema, text }, schemaCaller);
  if (violations === 'undecided') {
    return { error: "It took too long to hold the arguments to the tool's schema." };
  }
  if (violations.length === 0) return { value };
  return { error: `The arguments do not fit the tool's schema: ${violations.join('; ')}.` };
};

const parse = (text: string): object | undefined => {
  try {
    const value = parseExactly(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // The check for `{` is needed because `parseExactly` returns an object for a lone long number,
    // too.
    return isObject && text.trimStart().startsWith('{') ? value : undefined;
  } catch {
    return undefined;
  }
};
