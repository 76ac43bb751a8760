import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readToolEnv } from './config.ts';
import { findRegressions, runUpgrade } from './upgrade/run-upgrade.ts';

/**
 * Runs `npm run upgrade-test -- --from REVISION`, or `--tree FOLDER` for an installed checkout:
 * upgrades running services and rolls them back.
 */
const main = async (): Promise<void> => {
  const options = { from: { type: 'string' }, tree: { type: 'string' } } as const;
  const { from: revision, tree } = parseArgs({ options }).values;
  const from = tree ? { tree } : revision ? { revision } : undefined;
  if (!from) throw new Error('upgrade-test takes --from REVISION, or --tree FOLDER.');
  const steps = await runUpgrade({
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    from,
    env: readToolEnv(),
    log: (line) => void process.stdout.write(`${line}\n`),
  });
  const regressions = findRegressions(steps);
  process.stdout.write(`${regressions.length} regressions\n${regressions.join('\n')}\n`);
  if (regressions.length > 0) process.exitCode = 1;
};

await main();
