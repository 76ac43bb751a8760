#!/usr/bin/env node
// npm test [-- JEST ARGUMENTS]: installs missing packages and runs Jest under the pinned Node.
// After a run of tests it prints the line `N passed, N failed, N skipped`.
import { join } from 'node:path';
import { exitWithResult, ensureInstalled, ROOT, spawnPinned } from '../src/bootstrap.mjs';

const CLOSE_LIMIT_MS = 30_000;

await ensureInstalled();

let counts;
let closeTimer;
const onMessage = (message, child) => {
  if (message?.type !== 'witan-test-counts') return;
  counts = message.counts;
  closeTimer ??= setTimeout(() => {
    process.stderr.write(
      `\nThe tests are over, but ${CLOSE_LIMIT_MS / 1000} s later something that they opened ` +
        'still keeps Jest running: it is ended, which counts as a failure.\n',
    );
    counts.failed += 1;
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

// Jest succeeds without running tests for --help and --listTests.
if (!counts && ended.code !== 0) {
  process.stderr.write('\nJest exited before it ran the tests: this counts as a failure.\n');
  counts = { passed: 0, failed: 1, skipped: 0 };
}
if (counts) {
  const { passed, failed, skipped } = counts;
  process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
}
if (ended.signal === 'SIGKILL') process.exitCode = 1;
else if (ended.signal) exitWithResult(ended);
else process.exitCode = ended.code;
