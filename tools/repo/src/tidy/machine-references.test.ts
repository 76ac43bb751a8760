import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { machineReferences } from './machine-references.ts';

/** Returns a path. Assembled from parts, because the rule checks this file too. */
const folder = (name: string): string => `/${name}/`;

describe('machineReferences', () => {
  it.each([
    `see ${folder('work')}main/README.md`,
    `const home = '${folder('root')}.npmrc';`,
    `(${folder('tmp')}bash_jobs)`,
    `https://${['registry', 'npmjs', 'org'].join('.')}/x`,
  ])('refuses %s', (text) => {
    expect(machineReferences(treeOf({ 'docs/a.md': `first\n${text}` }))[0]).toMatchObject({
      path: 'docs/a.md',
      line: 2,
    });
  });

  it.each([
    `https://example.com${folder('work')}items`,
    `.${folder('work')}a.ts`,
    `apps/*${folder('work')}x`,
    'network/route',
    '/tmp/witan',
  ])('accepts %s', (text) => {
    expect(machineReferences(treeOf({ 'docs/a.md': text }))).toEqual([]);
  });
});
