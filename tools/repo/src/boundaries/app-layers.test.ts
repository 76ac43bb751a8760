import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { appLayers } from './app-layers.ts';

const manifest = (name: string, kind: string): string =>
  JSON.stringify({ name, nx: { tags: [`kind:${kind}`] } });

const BASE = {
  'apps/ledger/package.json': manifest('@witan/ledger', 'app'),
  'apps/api-gateway/package.json': manifest('@witan/api-gateway', 'app'),
  'libs/contracts/package.json': manifest('@witan/contracts', 'contracts'),
  'libs/proof/package.json': manifest('@witan/proof', 'published'),
  'libs/service-kit/package.json': manifest('@witan/service-kit', 'kit'),
};

const checkImport = (path: string, text: string): string[] =>
  formatFindings(appLayers(treeOf({ ...BASE, [path]: text })));

describe('appLayers', () => {
  it.each([
    '@grpc/grpc-js',
    '@mikro-orm/core',
    'express',
    'undici',
    'node:fs/promises',
    'node:net',
    '@witan/service-kit',
    '@witan/contracts/services',
    '../../storage/entry-store.ts',
    '../../config.ts',
  ])('refuses %s in domain', (specifier) => {
    const text = `import { x } from '${specifier}';`;
    expect(checkImport('apps/ledger/src/write/ledger-write.ts', text)).toHaveLength(1);
  });

  it.each([
    'node:crypto',
    '@witan/contracts',
    '@witan/proof',
    '@bufbuild/protobuf',
    '../chain/x.ts',
  ])('allows domain to import %s', (specifier) => {
    const text = `import { x } from '${specifier}';`;
    expect(checkImport('apps/ledger/src/write/ledger-write.ts', text)).toEqual([]);
  });

  it.each([
    ['handlers/write.ts', '../storage/entry-store.ts'],
    ['storage/entry-store.ts', '../clients/ledger.ts'],
    ['clients/ledger.ts', '../config.ts'],
    ['main.ts', './domain/entry/write.ts'],
  ])('refuses %s importing %s', (file, specifier) => {
    expect(checkImport(`apps/ledger/src/${file}`, `import '${specifier}';`)).toHaveLength(1);
  });

  it.each([
    ['handlers/write.ts', '../domain/entry/write.ts'],
    ['storage/entry-store.ts', '../domain/entry/entry.ts'],
    ['service.ts', './storage/entry-store.ts'],
    ['index.ts', './service.ts'],
    ['main.ts', './config.ts'],
    ['config.ts', './storage/entry-store.ts'],
    ['domain/entry/write.test.ts', '../../storage/entry-store.ts'],
  ])('accepts %s importing %s', (file, specifier) => {
    expect(checkImport(`apps/ledger/src/${file}`, `import '${specifier}';`)).toEqual([]);
  });

  it('refuses a folder or a file that apps do not have', () => {
    expect(checkImport('apps/ledger/src/routes/get.ts', '')).toEqual([
      'apps/ledger/src/routes/get.ts is in a folder that apps do not have; ' +
        'src/routes needs a decision in docs/decisions/.',
    ]);
    expect(checkImport('apps/ledger/src/server.ts', '')).toHaveLength(1);
  });

  it('accepts the extra folders of an app, and those that a decision names', () => {
    expect(checkImport('apps/api-gateway/src/routes/get.ts', `import '../errors/x.ts';`)).toEqual(
      [],
    );
    const tree = treeOf({
      ...BASE,
      'docs/decisions/0007-jobs.md': 'Jobs live in apps/ledger/src/jobs.',
      'apps/ledger/src/jobs/sweep.ts': `import '../domain/entry/entry.ts';`,
      'apps/ledger/src/handlers/sweep.ts': `import '../jobs/sweep.ts';`,
      'apps/ledger/src/domain/entry/entry.ts': `import '../../jobs/sweep.ts';`,
    });
    expect(appLayers(tree).map(({ path }) => path)).toEqual([
      'apps/ledger/src/domain/entry/entry.ts',
    ]);
  });
});
