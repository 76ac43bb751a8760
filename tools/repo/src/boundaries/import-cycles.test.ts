import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { importCycles } from './import-cycles.ts';

const findings = (files: Readonly<Record<string, string>>): string[] =>
  formatFindings(importCycles(treeOf(files)));

describe('importCycles', () => {
  it('refuses files that import each other, types included', () => {
    const files = {
      'libs/a/src/one.ts': `import { two } from './two.ts';`,
      'libs/a/src/two.ts': `import { three } from './deep/three.ts';`,
      'libs/a/src/deep/three.ts': `import type { One } from '../one.ts';`,
    };
    expect(findings(files)).toEqual([
      'libs/a/src/deep/three.ts imports itself: libs/a/src/deep/three.ts -> libs/a/src/one.ts -> ' +
        'libs/a/src/two.ts -> libs/a/src/deep/three.ts. Types count, too.',
    ]);
  });

  it('accepts a file that is imported on two ways', () => {
    const files = {
      'libs/a/src/one.ts': `import './two.ts'; import './three.ts';`,
      'libs/a/src/two.ts': `import './three.ts';`,
      'libs/a/src/three.ts': '',
    };
    expect(findings(files)).toEqual([]);
  });
});
