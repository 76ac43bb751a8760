// Configuration of Jest, which `npm test` (tools/repo/bin/test.mjs) starts once for all packages.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('.', import.meta.url));

/** Returns the path of a global set-up file of libs/testing, or undefined if it does not exist. */
const findSetupFile = (name) => {
  const file = `${root}libs/testing/src/${name}.ts`;
  return existsSync(file) ? file : undefined;
};

export default {
  // Node imports the modules, once per worker, as in production (docs/decisions/0015).
  testEnvironment: `${root}tools/repo/src/native-jest/environment.mjs`,
  runtime: `${root}tools/repo/src/native-jest/runtime.mjs`,
  injectGlobals: false,
  // Node's streams depend on these.
  fakeTimers: { doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] },
  // Excludes the root, where Jest would crawl node_modules.
  roots: ['apps', 'libs', 'tools', 'e2e', 'benchmarks'].map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.test.ts'],
  // Tests of whole installations, which take minutes; `npm run test:deploy` and
  // `npm run test:containers` run them.
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '\\.(deploy|containers)\\.test\\.ts$'],
  transform: {},
  watchman: false,
  testTimeout: 60_000,
  // One more than the two cores of the reference machine: system tests leave a fifth of both idle.
  maxWorkers: 3,
  // Modules of finished test files stay in the worker, so it is restarted above this size.
  workerIdleMemoryLimit: '2GB',
  globalSetup: findSetupFile('global-setup'),
  globalTeardown: findSetupFile('global-teardown'),
  reporters: ['default', '<rootDir>/tools/repo/src/count-reporter.ts'],
};
