import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { deadFiles } from './dead-files.ts';

const findDeadPaths = (files: Record<string, string>): string[] =>
  deadFiles(treeOf(files)).map(({ path }) => path);

const LIBRARY = {
  'libs/a/package.json': JSON.stringify({ name: '@witan/a', exports: { '.': './src/index.ts' } }),
  'libs/a/src/index.ts': `export { b } from './b.ts';`,
};

describe('deadFiles', () => {
  it('finds unreachable files and files that only unreachable files import', () => {
    const files = {
      ...LIBRARY,
      'libs/a/src/b.ts': `import './c.ts';`,
      'libs/a/src/c.ts': '',
      'libs/a/src/orphan.ts': `import './orphan-part.ts';`,
      'libs/a/src/orphan-part.ts': '',
    };
    expect(findDeadPaths(files)).toEqual(['libs/a/src/orphan-part.ts', 'libs/a/src/orphan.ts']);
  });

  it("does not count a file's own unit test", () => {
    const files = {
      ...LIBRARY,
      'libs/a/src/b.ts': '',
      'libs/a/src/c.ts': '',
      'libs/a/src/c.test.ts': `import './c.ts';\nimport './scripted-clock.ts';`,
      'libs/a/src/scripted-clock.ts': '',
    };
    expect(findDeadPaths(files)).toEqual(['libs/a/src/c.ts']);
  });

  it.each([
    ['a main.ts', 'apps/x/src/main.ts', `import './run.ts';`],
    ['a command', 'apps/x/bin/x.mjs', `new URL('../src/run.ts', import.meta.url);`],
    ['the name of a folder', 'apps/x/src/main.ts', `load(new URL('./', import.meta.url));`],
    ['a test of the service', 'apps/x/test/x.test.ts', `import '../src/run.ts';`],
    ['a script', 'apps/x/package.json', '{"scripts":{"run":"node src/run.ts --fast"}}'],
    ['a configuration', 'jest.config.mjs', `export default ['<rootDir>/apps/x/src/run.ts'];`],
  ])('treats %s as an entry point', (_what, path, text) => {
    expect(findDeadPaths({ [path]: text, 'apps/x/src/run.ts': '' })).toEqual([]);
  });
});
