import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

// A test file that must fail. Jest runs it to test the runtime of all other tests.

const FAILING = `
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
it('fails an expectation', () => { expect(1).toBe(2); });
it('never ends', async () => { await new Promise(() => {}); }, 50);
it('leaves an unhandled rejection', async () => {
  void Promise.reject(new Error('left'));
  await new Promise((resolve) => setTimeout(resolve, 20));
});
it('throws in a timer', async () => {
  setTimeout(() => { throw new Error('late'); }, 1);
  await new Promise((resolve) => setTimeout(resolve, 30));
});
it('makes fewer assertions than declared', () => { expect.assertions(1); });
describe('a block', () => {
  beforeAll(() => { throw new Error('before'); });
  it('has a failing beforeAll', () => {});
});
it.skip('is skipped', () => {});
it('passes', () => {
  process.env['WITAN_LEFT_BEHIND'] = '1';
  jest.useFakeTimers();
  jest.setTimeout(40);
  expect(jest.fn()).not.toHaveBeenCalled();
});
`;
const NEXT = `
import { expect, it } from '@jest/globals';
it('starts clean', async () => {
  expect(process.env['WITAN_LEFT_BEHIND']).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 60));
});
`;
const FILES = {
  'a-failing.test.ts': FAILING,
  'b-next.test.ts': NEXT,
  'c-missing.test.ts': `import './missing.ts';`,
  'd-empty.test.ts': `export {};`,
  'e-closing.test.ts': `
    import { afterAll, it } from '@jest/globals';
    afterAll(() => { throw new Error('after'); });
    it('passes', () => {});
  `,
};

type FileResult = {
  name: string;
  status: string;
  assertionResults: { title: string; status: string }[];
};

let folder: string;
let results: Map<string, FileResult>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'witan-native-jest-'));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
  const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
  const config = JSON.stringify({
    rootDir: folder,
    testMatch: ['**/*.test.ts'],
    testEnvironment: at('environment.mjs'),
    runtime: at('runtime.mjs'),
    injectGlobals: false,
    transform: {},
    watchman: false,
  });
  const jest = at('../../../../node_modules/jest/bin/jest.js');
  // One process runs the largest file first, so the order is fixed. The promise rejects, because
  // tests fail.
  const run = promisify(execFile)(
    process.execPath,
    [jest, '--json', '--runInBand', '--config', config],
    { cwd: folder },
  );
  const { stdout } = (await run.catch((error: unknown) => error)) as { stdout: string };
  const report = JSON.parse(stdout) as { testResults: FileResult[] };
  results = new Map(report.testResults.map((file) => [file.name.split('/').at(-1)!, file]));
}, 60_000);
afterAll(async () => {
  await rm(folder, { recursive: true });
});

it('reports every kind of failure', () => {
  const { assertionResults } = results.get('a-failing.test.ts')!;
  expect(assertionResults.map(({ title, status }) => [title, status])).toEqual([
    ['fails an expectation', 'failed'],
    ['never ends', 'failed'],
    ['leaves an unhandled rejection', 'failed'],
    ['throws in a timer', 'failed'],
    ['makes fewer assertions than declared', 'failed'],
    ['has a failing beforeAll', 'failed'],
    ['is skipped', 'pending'],
    ['passes', 'passed'],
  ]);
});

it('resets environment, timers and time limits after each file', () => {
  expect(results.get('b-next.test.ts')!.status).toBe('passed');
});

it.each(['c-missing.test.ts', 'd-empty.test.ts', 'e-closing.test.ts'])('fails %s', (name) => {
  expect(results.get(name)!.status).toBe('failed');
});
