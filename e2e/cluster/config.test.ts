import { describe, expect, it } from '@jest/globals';
import { checkHome } from './config.ts';

describe('checkHome', () => {
  it.each(['', '/', '//', '/./', '/a/..', 'cluster', './cluster'])('rejects "%s"', (folder) => {
    expect(() => checkHome(folder)).toThrow('WITAN_CLUSTER_HOME must be an absolute path');
  });

  it('returns an absolute path', () => {
    expect(checkHome('/srv/cluster')).toBe('/srv/cluster');
  });
});
