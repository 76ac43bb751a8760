import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { ReportedSpan } from './report-spans.ts';

const DETECT_USAGE = `Usage: npm run -s privacy:detect -- --in FILE --out FILE

Reads JSON lines {"id", "text"} and writes {"id", "spans": [{"start", "end", "type"}]}
with the default settings, in the same order. Offsets are UTF-16 code units, end exclusive.

Exit code: 0 done, 1 a file or a line is not as it must be, 2 wrong usage.`;

/** Exit code: 0 for success, 1 for invalid input, 2 for wrong usage. */
export type ExitCode = 0 | 1 | 2;

type DetectCommand = {
  detect: (text: string) => readonly ReportedSpan[];
  stderr: (line: string) => void;
};

/**
 * Detects personal data in each line of the input. Creates the output file only if all lines are
 * valid.
 */
export async function runDetect(
  argv: readonly string[],
  { detect, stderr }: DetectCommand,
): Promise<ExitCode> {
  try {
    const { input, output } = parseFiles(argv);
    await detectFile({ input, output, detect });
    return 0;
  } catch (error) {
    stderr(`privacy:detect: ${error instanceof Error ? error.message : String(error)}`);
    if (!(error instanceof UsageError)) return 1;
    stderr(DETECT_USAGE);
    return 2;
  }
}

function parseFiles(argv: readonly string[]): { input: string; output: string } {
  const { in: input, out: output } = parseOptions(argv);
  if (input === undefined) throw new UsageError('name the file to read: --in FILE');
  if (output === undefined) throw new UsageError('name the file to write: --out FILE');
  return { input, output };
}

function parseOptions(argv: readonly string[]) {
  try {
    const options = { in: { type: 'string' }, out: { type: 'string' } } as const;
    return parseArgs({ args: [...argv], options }).values;
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

async function detectFile({
  input,
  output,
  detect,
}: {
  input: string;
  output: string;
  detect: DetectCommand['detect'];
}): Promise<void> {
  const partialOutput = `${output}.unfinished`;
  try {
    await pipeline(detectLines(input, detect), createWriteStream(partialOutput));
    await rename(partialOutput, output);
  } catch (error) {
    await rm(partialOutput, { force: true });
    throw error;
  }
}

async function* detectLines(
  input: string,
  detect: DetectCommand['detect'],
): AsyncGenerator<string> {
  const lines = createInterface({ input: createReadStream(input), crlfDelay: Infinity });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const { id, text } = parseRow(number === 1 ? line.replace(/^\uFEFF/, '') : line, number);
    yield `${JSON.stringify({ id, spans: detect(text) })}\n`;
  }
}

export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
  }
}

export type Row = { id: string; text: string };

class RowError extends Error {
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.name = 'RowError';
  }
}

/**
 * Parses a line `{"id": ..., "text": ...}` and ignores other members. `line` is its number, from 1,
 * for error messages.
 */
function parseRow(json: string, line: number): Row {
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
