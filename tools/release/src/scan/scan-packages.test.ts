import { describe, expect, it } from '@jest/globals';
import { parseDebianPackages, scanPackages } from './scan-packages.ts';

const LOCK = {
  packages: {
    'node_modules/pg': { version: '8.0.0' },
    'node_modules/@scope/tool': { version: '1.0.0', dev: true },
    'node_modules/both': { version: '2.0.0', dev: true },
    'apps/ledger/node_modules/both': { version: '2.0.0' },
    'node_modules/old/node_modules/pg': { version: '7.0.0' },
  },
};
const auditOf = (severity: string, nodes: string[]) => ({
  vulnerabilities: { pg: { name: 'pg', severity, range: '<8', nodes } },
});
const NONE = { vulnerabilities: {} };

describe('scanPackages', () => {
  it('accepts production packages without advisories', () => {
    expect(scanPackages(['pg@8.0.0', 'both@2.0.0'], LOCK, NONE)).toEqual({
      failures: [],
      notes: [],
    });
  });

  it.each([
    ['a development dependency', '@scope/tool@1.0.0', 'a development dependency'],
    ['a package that is not locked', 'pg@9.0.0', 'not in package-lock.json'],
  ])('fails on %s', (_name, bundled, failure) => {
    expect(scanPackages([bundled], LOCK, NONE).failures).toEqual([
      expect.stringContaining(failure),
    ]);
  });

  it('fails on high and critical advisories of the bundled version only', () => {
    for (const severity of ['high', 'critical']) {
      const audit = auditOf(severity, ['node_modules/pg']);
      expect(scanPackages(['pg@8.0.0'], LOCK, audit).failures).toHaveLength(1);
      expect(scanPackages(['pg@7.0.0'], LOCK, audit).failures).toEqual([]);
    }
    const audit = auditOf('moderate', ['node_modules/pg']);
    expect(scanPackages(['pg@8.0.0'], LOCK, audit)).toEqual({
      failures: [],
      notes: ['pg@8.0.0 has an advisory of severity moderate (pg <8).'],
    });
  });
});

describe('parseDebianPackages', () => {
  it('lists installed packages', () => {
    const status = [
      'Package: libc6\nStatus: install ok installed\nVersion: 2.36-9',
      'Package: gone\nStatus: deinstall ok config-files\nVersion: 1',
      '',
    ].join('\n\n');
    expect(parseDebianPackages(status)).toEqual(['libc6 2.36-9']);
  });
});
