import { describe, expect, it } from '@jest/globals';
import { compareBundles } from './compare-bundles.ts';

describe('compareBundles', () => {
  it('accepts an image with the described files and others, such as a licence', () => {
    expect(compareBundles({ 'main.js': 'a' }, { 'main.js': 'a', LICENSE: 'b' })).toEqual([]);
  });

  it('reports files that differ or are missing', () => {
    expect(compareBundles({ 'main.js': 'a', 'thread.js': 'b' }, { 'main.js': 'c' })).toEqual([
      '/app/main.js is not the file that the SBOM describes.',
      '/app/thread.js is not the file that the SBOM describes.',
    ]);
  });
});
