import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { processEnv } from './process-env.ts';

const READ = `const port = process.env['PORT'];`;

describe('processEnv', () => {
  it('refuses a read outside configuration in either notation', () => {
    const tree = treeOf({
      'apps/ledger/src/domain/port.ts': READ,
      'libs/a/src/port.ts': `import { env } from 'node:process';\nenv.PORT;`,
    });
    expect(formatFindings(processEnv(tree))).toEqual([
      'apps/ledger/src/domain/port.ts:1 reads process.env: read it in a config file and pass the value.',
      'libs/a/src/port.ts:1 reads process.env: read it in a config file and pass the value.',
    ]);
  });

  it.each([
    'apps/ledger/src/config.ts',
    'tools/stack/src/config-defaults.ts',
    'tools/repo/bin/test.mjs',
    'apps/ledger/test/ports.test.ts',
  ])('accepts a read in %s', (path) => {
    expect(processEnv(treeOf({ [path]: READ }))).toEqual([]);
  });

  it('ignores comments and texts', () => {
    expect(processEnv(treeOf({ 'libs/a/src/b.ts': `// process.env\n'process.env';` }))).toEqual([]);
  });
});
