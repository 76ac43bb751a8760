import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { registerBuildInfo } from './build-metrics.ts';
import { VERSION } from './release.ts';

describe('witan_build_info', () => {
  it('has the version and the revision of the running program', async () => {
    const registry = new Registry();
    registerBuildInfo(registry, 'abc');
    expect(await registry.metrics()).toContain(
      `witan_build_info{version="${VERSION}",revision="abc"} 1\n`,
    );
  });
});
