import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { machineWords } from './machine-words.ts';

/** Put together here, because the rule looks at this file too. */
const folder = (name: string): string => `/${name}/`;

describe('machineWords', () => {
  it.each([
    `see ${folder('work')}main/README.md`,
    `const home = '${folder('root')}.npmrc';`,
    `(${folder('tmp')}bash_jobs)`,
    `https://${['registry', 'npmjs', 'org'].join('.')}/x`,
  ])('refuses %s', (text) => {
    expect(machineWords(treeOf({ 'docs/a.md': `first\n${text}` }))[0]).toMatchObject({
      path: 'docs/a.md',
      line: 2,
    });
  });

  it.each([
    'https://example.com/work/items',
    './work/a.ts',
    'apps/*/work/x',
    'network/route',
    '/tmp/witan',
  ])('accepts %s', (text) => {
    expect(machineWords(treeOf({ 'docs/a.md': text }))).toEqual([]);
  });
});
