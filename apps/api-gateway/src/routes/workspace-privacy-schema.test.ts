import { describe, expect, it } from '@jest/globals';
import { CATEGORIES } from '@witan/privacy';
import { WORKSPACE_PRIVACY } from './workspace-privacy-schema.ts';

describe("the schema of a workspace's privacy settings", () => {
  it.each([
    ['categories', ['categories', 'items']],
    ['terms', ['terms', 'items', 'properties', 'category']],
    ['patterns', ['patterns', 'items', 'properties', 'category']],
  ])('lists in %s every category that is detected, and no other', (_name, path) => {
    const schema = path.reduce<unknown>(
      (value, key) => (value as Record<string, unknown>)[key],
      WORKSPACE_PRIVACY.properties,
    );
    expect(schema).toEqual({ enum: [...CATEGORIES] });
  });
});
