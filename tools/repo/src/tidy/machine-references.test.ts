import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { machineReferences } from './machine-references.ts';

/** Returns a path. Assembled from parts, because the rule checks this file too. */
const toFolderPath = (name: string): string => `/${name}/`;

describe('machineReferences', () => {
  it.each([
    `see ${toFolderPath('work')}main/README.md`,
    `const home = '${toFolderPath('root')}.npmrc';`,
    `(${toFolderPath('tmp')}bash_jobs)`,
    `https://${['registry', 'npmjs', 'org'].join('.')}/x`,
  ])('refuses %s', (text) => {
    expect(machineReferences(treeOf({ 'docs/a.md': `first\n${text}` }))[0]).toMatchObject({
      path: 'docs/a.md',
      line: 2,
    });
  });

  it.each([
    `https://example.com${toFolderPath('work')}items`,
    `.${toFolderPath('work')}a.ts`,
    `apps/*${toFolderPath('work')}x`,
    'network/route',
    '/tmp/witan',
  ])('accepts %s', (text) => {
    expect(machineReferences(treeOf({ 'docs/a.md': text }))).toEqual([]);
  });
});
