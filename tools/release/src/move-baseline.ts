import { fileURLToPath } from 'node:url';
import process from 'node:process';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readToolEnv } from './config.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const BASELINE = 'proto/baseline.json';

/**
 * Runs `npm run baseline`: makes the current contracts the baseline of compatibility checks.
 * Refuses if they break the previous baseline, because deployed services still use it.
 */
const main = async (): Promise<void> => {
  const buf = (...argv: string[]): Promise<unknown> =>
    promisify(execFile)(join(ROOT, 'node_modules/.bin/buf'), argv, {
      cwd: ROOT,
      env: readToolEnv(),
    });
  await buf('breaking', '--against', BASELINE).catch((error: { stdout?: string }) => {
    throw new Error(`The contracts break what is in use:\n${error.stdout}`, { cause: error });
  });
  await buf('build', '--exclude-source-info', '-o', BASELINE);
  process.stdout.write(`${BASELINE} has the contracts of now.\n`);
};

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
