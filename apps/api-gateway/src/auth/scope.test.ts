import { describe, expect, it } from '@jest/globals';
import { grantsAny, isScope } from './scope.ts';
import type { RequiredScope } from './scope.ts';

const GRANTS: readonly (readonly [readonly string[], readonly RequiredScope[], boolean])[] = [
  [['gateway'], ['gateway'], true],
  [['gateway'], ['gateway:read'], true],
  [['gateway:read'], ['gateway:read'], true],
  [['gateway:read'], ['gateway'], false],
  [['ledger'], ['gateway'], false],
  [['ledger:read'], ['gateway', 'gateway:read', 'ledger', 'ledger:read'], true],
  [['*'], ['gateway'], true],
  [['*'], ['keys:read'], true],
  [['*'], ['operator'], false],
  [['operator'], ['operator'], true],
  [['operator'], ['gateway'], false],
  [[], ['gateway'], false],
];

describe('scopes', () => {
  it.each(GRANTS)('%j grant any of %j: %s', (granted, required, expected) => {
    expect(grantsAny(granted, required)).toBe(expected);
  });

  it.each(['*', 'operator', 'gateway', 'gateway:read', 'sim-engine:read'])('include %s', (text) => {
    expect(isScope(text)).toBe(true);
  });

  it.each(['', 'gateway:write', 'operator:read', '*:read', 'Gateway', 'unknown'])(
    'do not include "%s"',
    (text) => {
      expect(isScope(text)).toBe(false);
    },
  );
});
