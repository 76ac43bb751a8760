import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { testHygiene } from './test-hygiene.ts';

describe('testHygiene', () => {
  it.each([
    `it.only('x', run);`,
    `describe.only('x', run);`,
    `test.concurrent.only('x', run);`,
    `it.only.each([])('x', run);`,
    `fit('x', run);`,
    `jest.mock('./x.ts');`,
    `jest.unstable_mockModule('./x.ts', run);`,
  ])('refuses %s', (text) => {
    expect(testHygiene(treeOf({ 'libs/a/src/a.test.ts': text }))).toHaveLength(1);
  });

  it.each([`it.skip('x: needs Docker', run);`, `jest.fn();`, `options.only;`, `// it.only(`])(
    'accepts %s',
    (text) => {
      expect(testHygiene(treeOf({ 'libs/a/src/a.test.ts': text }))).toEqual([]);
    },
  );
});
