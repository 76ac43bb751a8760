import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Errors and warnings in the log of a system. */
export type LogFindings = {
  lines: number;
  /**
   * Log lines of level error or fatal, and lines that are not JSON, such as uncaught errors; at
   * most 100.
   */
  errors: string[];
  /** Number of warnings with each message. */
  warnings: Record<string, number>;
};

const ERRORS_MAX = 100;

export const scanLog = async (file: string): Promise<LogFindings> => {
  const findings: LogFindings = { lines: 0, errors: [], warnings: {} };
  for await (const line of createInterface({ input: createReadStream(file) })) {
    findings.lines += 1;
    judgeLine(line, findings);
  }
  return findings;
};

const judgeLine = (line: string, { errors, warnings }: LogFindings): void => {
  // Indented lines belong to the summary that `npm start` prints. Lines of uncaught errors begin
  // without a space.
  if (line === '' || line.startsWith(' ')) return;
  const entry = parseEntry(line);
  if (entry?.level === 'warn') warnings[entry.msg] = (warnings[entry.msg] ?? 0) + 1;
  else if (entry === undefined || entry.level === 'error' || entry.level === 'fatal') {
    if (errors.length < ERRORS_MAX) errors.push(line);
  }
};

const parseEntry = (line: string): { level: string; msg: string } | undefined => {
  try {
    return JSON.parse(line) as { level: string; msg: string };
  } catch {
    return undefined;
  }
};
