import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { mainSize } from './main-size.ts';

describe('mainSize', () => {
  it('accepts 30 lines and refuses 31, in the main.ts of an app', () => {
    const tree = treeOf({
      'apps/fits/src/main.ts': 'go();\n'.repeat(30),
      'apps/long/src/main.ts': 'go();\n'.repeat(31),
      'tools/witan/src/main.ts': 'go();\n'.repeat(90),
    });
    expect(mainSize(tree).map(({ path }) => path)).toEqual(['apps/long/src/main.ts']);
  });
});
