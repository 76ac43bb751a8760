import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runRehearsal } from './rehearsal/run-rehearsal.ts';
import { readPath } from './config.ts';

/**
 * `npm run rehearse [-- --bundles FOLDER]`: what `compose.yaml` does, in empty folders instead of
 * containers; with bundles that `npm run bundle` made, or new ones.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({ options: { bundles: { type: 'string' } } });
  const failed = await runRehearsal({
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    path: readPath(),
    bundles: values.bundles,
    tell: (line) => void process.stdout.write(`${line}\n`),
  });
  if (failed.length === 0) return;
  process.stdout.write(`${failed.length} failed:\n${failed.join('\n')}\n`);
  process.exitCode = 1;
};

await main();
