import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runRehearsal } from './rehearsal/run-rehearsal.ts';
import { readPath } from './config.ts';

/**
 * Runs `npm run rehearse [-- --bundles FOLDER]`: tests an installation as in `compose.yaml`, in
 * empty folders instead of containers. Builds the bundles unless a folder is given.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { bundles: { type: 'string' } } });
  const failed = await runRehearsal({
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    path: readPath(),
    bundles: values.bundles,
    log: (line) => void process.stdout.write(`${line}\n`),
  });
  if (failed.length === 0) return;
  process.stdout.write(`${failed.length} failed:\n${failed.join('\n')}\n`);
  process.exitCode = 1;
};

await main();
