// npm run check: everything that must be true of the repository and is not a test.
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { CHECKS, longFileNote, runChecks } from './checks.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const tell = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const failed = await runChecks(root, CHECKS, tell);
const note = longFileNote(root);
if (note !== '') tell(note);
if (failed.length > 0) {
  tell(`${failed.length} of ${CHECKS.length} checks failed: ${failed.join(', ')}.`);
  process.exitCode = 1;
} else {
  tell(`All ${CHECKS.length} checks passed.`);
}
