import { describe, expect, it } from '@jest/globals';
import { formatFindings, treeOf } from '../tree.ts';
import { appFeatures } from './app-features.ts';

const manifest = (name: string, kind: string): string =>
  JSON.stringify({ name, nx: { tags: [`kind:${kind}`] } });

const BASE = {
  'apps/ledger/package.json': manifest('@witan/ledger', 'app'),
  'apps/api-gateway/package.json': manifest('@witan/api-gateway', 'app'),
  'libs/contracts/package.json': manifest('@witan/contracts', 'contracts'),
  'libs/proof/package.json': manifest('@witan/proof', 'published'),
  'libs/service-kit/package.json': manifest('@witan/service-kit', 'kit'),
};

const findings = (files: Readonly<Record<string, string>>): string[] =>
  formatFindings(appFeatures(treeOf({ ...BASE, ...files })));

const findingsOf = (file: string, specifier: string): string[] =>
  findings({ [`apps/ledger/src/${file}`]: `import { x } from '${specifier}';` });

describe('appFeatures', () => {
  it.each([
    '@grpc/grpc-js',
    '@mikro-orm/core',
    'express',
    'undici',
    'node:fs/promises',
    'node:net',
    '@witan/service-kit',
    '@witan/contracts/services',
    './store/entry-store.ts',
    '../chain/rpc/get-certificate.ts',
    '../config.ts',
  ])('refuses %s in the core of a feature', (specifier) => {
    expect(findingsOf('write/ledger-write.ts', specifier)).toHaveLength(1);
  });

  it.each([
    'node:crypto',
    '@witan/contracts',
    '@witan/proof',
    '@bufbuild/protobuf',
    './refusal.ts',
    '../chain/to-payload.ts',
  ])('allows the core of a feature to import %s', (specifier) => {
    expect(findingsOf('write/ledger-write.ts', specifier)).toEqual([]);
  });

  it.each([
    ['write/rpc/write.ts', '../store/entry-store.ts'],
    ['write/store/entry-store.ts', '../clients/ledger.ts'],
    ['write/clients/ledger.ts', '../../config.ts'],
    ['main.ts', './write/write.ts'],
    ['migrations/0001-tables.ts', '../write/store/entry-store.ts'],
  ])('refuses %s importing %s', (file, specifier) => {
    expect(findingsOf(file, specifier)).toHaveLength(1);
  });

  it.each([
    ['write/rpc/write.ts', '../write.ts'],
    ['write/rpc/write.ts', '../../chain/rpc/to-certificate.ts'],
    ['write/store/entry-store.ts', '../../chain/store/chain-entities.ts'],
    ['open-storage.ts', './write/store/entry-store.ts'],
    ['service.ts', './write/store/entry-store.ts'],
    ['main.ts', './config.ts'],
    ['config.ts', './write/store/entry-store.ts'],
    ['write/write.test.ts', './store/entry-store.ts'],
  ])('accepts %s importing %s', (file, specifier) => {
    expect(findingsOf(file, specifier)).toEqual([]);
  });

  it('treats the HTTP features of the api-gateway as adapters', () => {
    const file = 'apps/api-gateway/src/resources/proofs/proofs.ts';
    expect(findings({ [file]: `import '../../http/route.ts'; import 'express';` })).toEqual([]);
    const store = `import '../../auth/store/key-store.ts';`;
    expect(findings({ [file]: store })).toHaveLength(1);
  });

  it('refuses a file in src/ that belongs to no feature', () => {
    expect(findings({ 'apps/ledger/src/server.ts': '' })).toEqual([
      'apps/ledger/src/server.ts is in src/, which contains only main.ts, config.ts, metrics.ts, ' +
        'open-storage.ts, service.ts, routes.ts, index.ts: put it into a feature.',
    ]);
  });

  it('refuses a folder with more than 25 files, not counting tests', () => {
    const names = Array.from({ length: 25 }, (_, index) => `apps/ledger/src/chain/a${index}.ts`);
    const full = Object.fromEntries(names.map((name) => [name, '']));
    expect(findings({ ...full, 'apps/ledger/src/chain/a.test.ts': '' })).toEqual([]);
    expect(findings({ ...full, 'apps/ledger/src/chain/b.ts': '' })).toHaveLength(1);
  });

  it('refuses features that import each other, types included', () => {
    expect(
      findings({
        'apps/ledger/src/chain/sign.ts': `import type { Write } from '../write/write.ts';`,
        'apps/ledger/src/write/write.ts': 'export type Write = string;',
        'apps/ledger/src/write/writer.ts': `import { sign } from '../chain/sign.ts';`,
      }),
    ).toEqual(['apps/ledger/src/chain imports itself: chain -> write -> chain. Types count, too.']);
  });
});
