import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { declaredDependencies } from './declared-dependencies.ts';

const checkFiles = (manifest: object, files: Record<string, string>): string[] =>
  formatFindings(
    declaredDependencies(
      treeOf({
        'package.json': '{"devDependencies":{"jest":"1"}}',
        'libs/a/package.json': JSON.stringify({ name: '@witan/a', ...manifest }),
        'libs/b/package.json': '{"name":"@witan/b"}',
        'libs/testing/package.json': '{"name":"@witan/testing","nx":{"tags":["kind:testing"]}}',
        ...files,
      }),
    ),
  );

describe('declaredDependencies', () => {
  it('refuses an import that is not declared', () => {
    expect(checkFiles({}, { 'libs/a/src/x.ts': `import { y } from '@scope/y/deep';` })).toEqual([
      'libs/a/src/x.ts:1 imports @scope/y, which is not in the dependencies of libs/a/package.json.',
    ]);
  });

  it('refuses a declaration that nothing imports, and one that only tests need', () => {
    const manifest = { dependencies: { y: '1', z: '1' }, devDependencies: { w: '1' } };
    expect(checkFiles(manifest, { 'libs/a/src/x.test.ts': `import 'z';` })).toEqual([
      'libs/a/package.json declares y, which nothing imports: remove it.',
      'libs/a/package.json declares z, which only tests import: move it to devDependencies.',
      'libs/a/package.json declares w, which nothing imports: remove it.',
    ]);
  });

  it('refuses a devDependency in code that ships', () => {
    const manifest = { devDependencies: { y: '1' } };
    expect(checkFiles(manifest, { 'libs/a/src/x.ts': `import 'y';` })).toHaveLength(1);
  });

  it('refuses a path into another project, except to the bootstrap in a bin script', () => {
    const bootstrap = `import '../../../tools/repo/src/bootstrap.mjs';`;
    expect(
      checkFiles(
        {},
        { 'libs/a/src/x.ts': `import '../../b/src/y.ts';`, 'libs/a/bin/x.mjs': bootstrap },
      ),
    ).toEqual([
      'libs/a/src/x.ts:1 imports ../../b/src/y.ts, a path into @witan/b: import by package name.',
    ]);
  });

  it('refuses a Node module without its prefix', () => {
    expect(checkFiles({}, { 'libs/a/src/x.ts': `import 'fs';` })).toEqual([
      'libs/a/src/x.ts:1 imports fs: write node:fs.',
    ]);
  });

  it('accepts declared packages, type packages, tools of scripts, and the harness in tests', () => {
    const manifest = {
      dependencies: { y: '1' },
      devDependencies: { '@types/y': '1', builder: '1', z: '1' },
      scripts: { build: 'builder src' },
    };
    const files = {
      'libs/a/src/x.ts': `import 'y/deep';\nimport 'node:fs';\nimport type { Z } from 'z';`,
      'libs/a/src/x.test.ts': `import 'jest';\nimport '@witan/testing';\nimport '@witan/a';`,
    };
    expect(checkFiles(manifest, files)).toEqual([]);
  });
});
