import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { projectKinds } from './project-kinds.ts';

const manifests = Object.fromEntries(
  ['app', 'other-app', 'kit', 'contracts', 'pure', 'published', 'testing', 'tool', 'web'].map(
    (name) => [
      `libs/${name}/package.json`,
      JSON.stringify({
        name: `@witan/${name}`,
        nx: { tags: [`kind:${name.replace('other-', '')}`] },
      }),
    ],
  ),
);

const checkImport = (path: string, specifier: string): string[] =>
  formatFindings(projectKinds(treeOf({ ...manifests, [path]: `import '${specifier}';` })));

describe('projectKinds', () => {
  it.each([
    ['app', '@witan/other-app'],
    ['app', '@witan/testing'],
    ['app', '@witan/tool'],
    ['kit', '@witan/pure'],
    ['contracts', '@witan/kit'],
    ['pure', '@witan/kit'],
    ['pure', 'node:fs'],
    ['pure', 'express'],
    ['published', '@witan/contracts'],
    ['web', '@witan/contracts'],
    ['web', '@witan/kit'],
    ['web', 'node:fs'],
    ['published', 'node:crypto'],
  ])('refuses %s importing %s', (kind, specifier) => {
    expect(checkImport(`libs/${kind}/src/x.ts`, specifier)).toHaveLength(1);
  });

  it.each([
    ['app', '@witan/kit'],
    ['app', '@witan/pure'],
    ['kit', '@witan/contracts'],
    ['kit', 'node:fs'],
    ['pure', '@witan/published'],
    ['pure', '@bufbuild/protobuf'],
    ['published', '@noble/hashes/sha2.js'],
    ['testing', '@witan/app'],
    ['tool', '@witan/app'],
    ['tool', '@witan/web'],
    ['web', '@witan/published'],
    ['web', 'react'],
    ['app', '@witan/app'],
  ])('accepts %s importing %s', (kind, specifier) => {
    expect(checkImport(`libs/${kind}/src/x.ts`, specifier)).toEqual([]);
  });

  it('allows tests to use the harness and Node, but not another app', () => {
    expect(checkImport('libs/app/test/x.test.ts', '@witan/testing')).toEqual([]);
    expect(checkImport('libs/pure/src/x.test.ts', 'node:fs')).toEqual([]);
    expect(checkImport('libs/app/test/x.test.ts', '@witan/other-app')).toHaveLength(1);
  });

  it('allows only the command line of published code to use Node', () => {
    expect(checkImport('libs/published/src/cli/main.ts', 'node:fs')).toEqual([]);
    expect(checkImport('libs/published/src/cli/main.ts', '../verify.ts')).toEqual([]);
    expect(checkImport('libs/published/src/index.ts', './cli/main.ts')).toHaveLength(1);
  });

  it('reports which kinds a project may import', () => {
    expect(checkImport('libs/kit/src/x.ts', '@witan/app')).toEqual([
      'libs/kit/src/x.ts:1 imports @witan/app: kind:kit may import contracts, published, not kind:app.',
    ]);
  });

  it('requires a tag for every project', () => {
    const tree = treeOf({ 'libs/a/package.json': '{"name":"a","nx":{"tags":["kind:else"]}}' });
    expect(projectKinds(tree)).toHaveLength(1);
  });
});
