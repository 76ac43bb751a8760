// npm run check: all checks of the repository that are not tests.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { CHECKS, longFileNote, runChecks } from './checks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const failed = await runChecks(root, CHECKS, print);
const note = longFileNote(root);
if (note !== '') print(note);
if (failed.length > 0) {
  print(`${failed.length} of ${CHECKS.length} checks failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
} else {
  print(`All ${CHECKS.length} checks passed.`);
}
