import { parseArgs } from 'node:util';
import { messageOf, UsageError } from './usage-error.ts';

export type CommandOptions = {
  file: string;
  valueOf(name: string): string | undefined;
  json: boolean;
};

/**
 * Parses command-line arguments of the form `FILE [--name VALUE]... [--json]`. Throws {@link
 * UsageError}.
 */
export function parseOptions(argv: readonly string[], names: readonly string[]): CommandOptions {
  const { positionals, ...parsed } = parse(argv, names);
  const values: Record<string, unknown> = parsed.values;
  const [file, surplus] = positionals;
  if (file === undefined) throw new UsageError('Name the file to verify.');
  if (surplus !== undefined) throw new UsageError(`One file at a time: ${surplus} is too much.`);
  return {
    file,
    valueOf: (name) => {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    json: values['json'] === true,
  };
}

function parse(argv: readonly string[], names: readonly string[]) {
  const withValue = names.map((name) => [name, { type: 'string' as const }] as const);
  try {
    return parseArgs({
      args: [...argv],
      options: { ...Object.fromEntries(withValue), json: { type: 'boolean' as const } },
      allowPositionals: true,
    });
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}
