#!/usr/bin/env node
// npm test [-- JEST ARGUMENTS]: installs missing packages and runs Jest under the pinned Node.
// After a run of tests it prints the line `N passed, N failed, N skipped`.
import { join } from 'node:path';
import { describeEnd } from '../src/end-of-run.mjs';
import { exitWithResult, ensureInstalled, ROOT, spawnPinned } from '../src/bootstrap.mjs';

const CLOSE_LIMIT_MS = 30_000;

await ensureInstalled();

let finalCounts;
let progress;
let closeTimer;
const onMessage = (message, child) => {
  if (message?.type === 'witan-test-progress') ({ progress } = message);
  if (message?.type !== 'witan-test-counts') return;
  finalCounts = message.counts;
  closeTimer ??= setTimeout(() => {
    process.stderr.write(
      `\nThe tests are over, but ${CLOSE_LIMIT_MS / 1000} s later something that they opened ` +
        'still keeps Jest running: it is ended, which counts as a failure.\n',
    );
    finalCounts.failed += 1;
    child.kill('SIGKILL');
  }, CLOSE_LIMIT_MS);
};

const jest = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  join(ROOT, 'node_modules/jest/bin/jest.js'),
  '--config',
  join(ROOT, 'jest.config.mjs'),
  '--rootDir',
  ROOT,
];
const ended = await spawnPinned([...jest, ...process.argv.slice(2)], { onMessage });
clearTimeout(closeTimer);

const { counts, problem } = describeEnd({ counts: finalCounts, progress, ...ended });
if (problem) process.stderr.write(`\n${problem}\n`);
if (counts) {
  const { passed, failed, skipped } = counts;
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}
if (ended.signal === 'SIGKILL') process.exitCode = 1;
else if (ended.signal) exitWithResult(ended);
else process.exitCode = ended.code;
