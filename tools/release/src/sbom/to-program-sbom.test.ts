import { describe, expect, it } from '@jest/globals';
import { toProgramSbom } from './to-program-sbom.ts';

const contents = { name: 'ledger', version: '1.2.3', nodeVersion: '24.0.0' };
const all = {
  bomFormat: 'CycloneDX',
  metadata: { timestamp: 'then', component: { name: 'workspace' } },
  components: [
    { 'bom-ref': 'pg@8.0.0', licenses: ['MIT'] },
    { 'bom-ref': 'pino@1.0.0' },
    { 'bom-ref': 'jest@30.0.0' },
  ],
  dependencies: [
    { ref: 'pg@8.0.0', dependsOn: ['pino@1.0.0', 'jest@30.0.0'] },
    { ref: 'jest@30.0.0', dependsOn: [] },
  ],
};

describe('toProgramSbom', () => {
  it('contains only the packages in the bundle', () => {
    const sbom = toProgramSbom(all, { ...contents, packages: ['pg@8.0.0', 'pino@1.0.0'] });
    expect(sbom.components.map((one) => one['bom-ref'])).toEqual([
      'node',
      'pg@8.0.0',
      'pino@1.0.0',
    ]);
    expect(sbom.components[1]).toMatchObject({ licenses: ['MIT'] });
    expect(sbom.metadata).toMatchObject({
      timestamp: 'then',
      component: { type: 'application', name: 'witan/ledger', version: '1.2.3' },
    });
    expect(sbom.dependencies).toEqual([
      { ref: 'witan/ledger@1.2.3', dependsOn: ['node', 'pg@8.0.0', 'pino@1.0.0'] },
      { ref: 'node' },
      { ref: 'pg@8.0.0', dependsOn: ['pino@1.0.0'] },
    ]);
  });

  it('throws if a bundled package is unknown', () => {
    const packages = ['pg@8.0.0', 'left-pad@1.0.0'];
    expect(() => toProgramSbom(all, { ...contents, packages })).toThrow('left-pad@1.0.0');
  });
});
