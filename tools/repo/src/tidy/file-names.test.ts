import { describe, expect, it } from '@jest/globals';
import { treeOf } from '../tree.ts';
import { fileNames } from './file-names.ts';

const isRefused = (path: string): boolean => fileNames(treeOf({ [path]: '' })).length > 0;

describe('fileNames', () => {
  it.each([
    'libs/a/src/utils.ts',
    'libs/a/src/helpers.test.ts',
    'libs/a/src/types.ts',
    'libs/a/src/shared/parse-name.ts',
    'libs/a/src/string-utils.ts',
    'libs/a/src/parseName.ts',
    'libs/a/src/parse_name.ts',
  ])('refuses %s', (path) => {
    expect(isRefused(path)).toBe(true);
  });

  it.each([
    'libs/a/src/parse-name.ts',
    'libs/a/src/0001-first.ts',
    'libs/a/src/gen/witan/common/v1/usage_pb.ts',
    'libs/a/src/base-url.ts',
    'jest.config.mjs',
    'proto/witan/common/v1/usage.proto',
  ])('accepts %s', (path) => {
    expect(isRefused(path)).toBe(false);
  });
});
