import { describe, expect, it } from '@jest/globals';
import { modulesOfAddress, parseModelAddress, verifyModules } from './scope.ts';

const missingFor = (model: string, granted: readonly string[]): string | undefined => {
  try {
    verifyModules(modulesOfAddress(parseModelAddress(model)), granted);
  } catch (error) {
    const { reason, fields } = error as { reason: string; fields: { param: string } };
    return `${reason} ${fields.param}`;
  }
  return undefined;
};

const AGENTS = 'INSUFFICIENT_SCOPE agents';
const KNOWLEDGE = 'INSUFFICIENT_SCOPE knowledge';

describe('the scopes that an address needs in addition to gateway', () => {
  it.each<[string, string[], string | undefined]>([
    ['gpt-4o', [], undefined],
    ['service-auto', [], undefined],
    ['service-sensitive', [], undefined],
    ['gpt-4o+sensitive', [], undefined],
    ['an-alias', [], undefined],
    ['agent:ann', [], AGENTS],
    ['agent:ann', ['knowledge'], AGENTS],
    ['agent:ann', ['agents'], undefined],
    ['agent:ann', ['agents:read'], undefined],
    ['agent:ann', ['*'], undefined],
    ['agent:ann+sensitive', [], AGENTS],
    ['agent:ann+knowledge', [], AGENTS],
    ['agent:ann+knowledge', ['agents'], KNOWLEDGE],
    ['agent:ann+knowledge', ['agents', 'knowledge:read'], undefined],
    ['gpt-4o+knowledge', ['agents'], KNOWLEDGE],
    ['gpt-4o+knowledge', ['knowledge'], undefined],
    ['gpt-4o+knowledge', ['knowledge:read'], undefined],
    ['gpt-4o+knowledge', ['operator'], KNOWLEDGE],
    ['gpt-4o+sensitive+knowledge', [], KNOWLEDGE],
  ])('%s with %j beside gateway', (model, more, missing) => {
    expect(missingFor(model, ['gateway', ...more])).toBe(missing);
  });
});
