import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { namedPaths } from './named-paths.ts';

const findings = (page: string, text: string): string[] =>
  formatFindings(
    namedPaths(
      treeOf({
        'apps/ledger/src/chain/sign.ts': '',
        'apps/ledger/README.md': '',
        'docs/spec.md': '',
        [page]: text,
      }),
    ),
  );

describe('namedPaths', () => {
  it.each([
    ['docs/a.md', 'see `apps/ledger/src/chain/sign.ts` and `apps/ledger/src/chain`'],
    ['docs/a.md', 'see `ledger/src/chain/sign.ts`'],
    ['apps/ledger/README.md', 'see `chain/sign.ts`'],
    ['docs/a.md', 'see `apps/<service>/src/x.ts`, `POST /v1/agents`, `application/json`'],
    ['CHANGELOG.md', 'see `apps/ledger/src/gone.ts`'],
  ])('accepts in %s: %s', (page, text) => {
    expect(findings(page, text)).toEqual([]);
  });

  it.each([
    ['docs/a.md', 'see `apps/ledger/src/gone.ts`'],
    ['docs/a.md', 'see `apps/ledger/src/gone`'],
    ['apps/ledger/README.md', 'see `chain/gone.ts`'],
  ])('refuses in %s: %s', (page, text) => {
    expect(findings(page, text)).toHaveLength(1);
  });
});
