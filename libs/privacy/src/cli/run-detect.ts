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

type Detect = (text: string) => readonly ReportedSpan[];

/**
 * Detects personal data in each line of the input. Creates the output file only if all lines are
 * valid. Resolves with the exit code.
 */
export async function runDetect(
  argv: readonly string[],
  { detect, stderr }: { detect: Detect; stderr: (line: string) => void },
): Promise<0 | 1 | 2> {
  const report = (error: unknown): void =>
    stderr(`privacy:detect: ${error instanceof Error ? error.message : String(error)}`);
  let files;
  try {
    files = parseFiles(argv);
  } catch (error) {
    report(error);
    stderr(DETECT_USAGE);
    return 2;
  }
  try {
    await detectFile(files, detect);
    return 0;
  } catch (error) {
    report(error);
    return 1;
  }
}

function parseFiles(argv: readonly string[]): { input: string; output: string } {
  const options = { in: { type: 'string' }, out: { type: 'string' } } as const;
  const { in: input, out: output } = parseArgs({ args: [...argv], options }).values;
  if (input === undefined) throw new Error('name the file to read: --in FILE');
  if (output === undefined) throw new Error('name the file to write: --out FILE');
  return { input, output };
}

async function detectFile(
  { input, output }: { input: string; output: string },
  detect: Detect,
): Promise<void> {
  const partialOutput = `${output}.unfinished`;
  try {
    await pipeline(detectLines(input, detect), createWriteStream(partialOutput));
    await rename(partialOutput, output);
  } catch (error) {
    await rm(partialOutput, { force: true });
    throw error;
  }
}

async function* detectLines(input: string, detect: Detect): AsyncGenerator<string> {
  const lines = createInterface({ input: createReadStream(input), crlfDelay: Infinity });
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === '') continue;
    const { id, text } = parseRow(number === 1 ? line.replace(/^\uFEFF/, '') : line, number);
    yield `${JSON.stringify({ id, spans: detect(text) })}\n`;
  }
}

/** Parses a line `{"id": ..., "text": ...}` and ignores other members. `line` counts from 1. */
function parseRow(json: string, line: number): { id: string; text: string } {
  const fail = (problem: string): never => {
    throw new Error(`line ${line}: ${problem}`);
  };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    fail(`is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail('is no JSON object');
  const { id, text } = value as { id?: unknown; text?: unknown };
  if (typeof id !== 'string') return fail('has no string "id"');
  if (typeof text !== 'string') return fail('has no string "text"');
  return { id, text };
}
