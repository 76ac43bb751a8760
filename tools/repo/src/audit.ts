import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

type Report = {
  metadata?: { vulnerabilities?: Readonly<Record<string, number>> };
  vulnerabilities?: Readonly<Record<string, { severity: string; range?: string }>>;
  message?: string;
};

const SEVERE: ReadonlySet<string> = new Set(['high', 'critical']);

/**
 * Reads the output of `npm audit --json`. The exit code is 0 if no severe weakness is known, 1 if
 * one is, and 2 if nothing was checked, because many registries do not answer the question.
 */
export const describeAudit = (output: string): { exitCode: 0 | 1 | 2; text: string } => {
  const { metadata, vulnerabilities = {}, message } = parseReport(output);
  const counts = metadata?.vulnerabilities;
  if (counts === undefined) {
    const reason = message ?? 'npm gave no report.';
    return { exitCode: 2, text: `Nothing was checked: ${reason}` };
  }
  const severe = Object.entries(vulnerabilities).filter(([, { severity }]) => SEVERE.has(severity));
  const total = Object.entries(counts).map(([severity, count]) => `${count} ${severity}`);
  const lines = severe.map(([name, { severity, range = '' }]) => `${severity}: ${name} ${range}`);
  const text = [`Known weaknesses: ${total.join(', ')}`, ...lines].join('\n');
  return { exitCode: severe.length > 0 ? 1 : 0, text };
};

const parseReport = (output: string): Report => {
  try {
    return JSON.parse(output) as Report;
  } catch {
    return { message: output.trim() || 'npm gave no report.' };
  }
};

const runAudit = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const child = spawn('npm', ['audit', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { exitCode, text } = describeAudit(await runAudit());
  process.stdout.write(`${text}\n`);
  process.exitCode = exitCode;
}
