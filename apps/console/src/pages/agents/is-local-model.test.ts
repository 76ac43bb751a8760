import { describe, expect, it } from '@jest/globals';
import { isLocalModel } from './is-local-model.ts';

describe('a model address', () => {
  it.each([
    ['service-sensitive', true],
    [' Service-Sensitive+knowledge', true],
    ['gpt-4o+sensitive', true],
    ['gpt-4o+knowledge+Sensitive', true],
    ['', false],
    ['service-agent', false],
    ['gpt-4o', false],
    ['sensitive', false],
    ['gpt-4o+sensitivity', false],
  ])('stays on the machine only if it says so: %j, %s', (model, isLocal) => {
    expect(isLocalModel(model)).toBe(isLocal);
  });
});
