import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { functionSize } from './function-size.ts';

const makeBody = (lines: number): string => '  step();\n'.repeat(lines);

describe('functionSize', () => {
  it('accepts 70 lines and refuses 71', () => {
    const tree = treeOf({
      'a.ts': `const fits = () => {\n${makeBody(68)}};\nfunction long() {\n${makeBody(69)}}\n`,
    });
    expect(formatFindings(functionSize(tree))).toEqual([
      'a.ts:71 long has 71 lines, the limit is 70: split it.',
    ]);
  });

  it('exempts describe blocks but not tests', () => {
    const tree = treeOf({
      'a.test.ts': `describe('x', () => {\n  it('y', () => {\n${makeBody(80)}  });\n});\n`,
    });
    expect(functionSize(tree).map(({ line }) => line)).toEqual([2]);
  });
});
