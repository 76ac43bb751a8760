// Every test of the repository in one Jest project. `npm test` runs it (tools/repo/bin/test.mjs).
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

/** The embedded servers are started once for all test files, by the one harness. */
const harness = (name) => {
  const file = `${root}libs/testing/src/${name}.ts`;
  return existsSync(file) ? file : undefined;
};

export default {
  // Tests run as the services do: modules are imported by Node, once for a worker (decision 0015).
  testEnvironment: `${root}tools/repo/src/native-jest/environment.mjs`,
  runtime: `${root}tools/repo/src/native-jest/runtime.mjs`,
  injectGlobals: false,
  // Node's own streams wait for these.
  fakeTimers: { doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] },
  // Not the root: Jest would crawl node_modules.
  roots: ['apps', 'libs', 'tools', 'e2e', 'benchmarks'].map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.test.ts'],
  // `npm run test:deploy` runs these: whole installations, minutes of processes that start.
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '\\.deploy\\.test\\.ts$'],
  transform: {},
  watchman: false,
  testTimeout: 60_000,
  // One more than the cores that it is measured on: tests of a system leave a fifth of both idle.
  maxWorkers: 3,
  // Test files stay in the worker that ran them: a fat worker is replaced.
  workerIdleMemoryLimit: '2GB',
  globalSetup: harness('global-setup'),
  globalTeardown: harness('global-teardown'),
  reporters: ['default', '<rootDir>/tools/repo/src/count-reporter.ts'],
};
