import { expect, it } from '@jest/globals';
import { memoryOf } from '../../test/memory-of.ts';
import { createRecalledMemories } from './memory-store.ts';

it("an agent's own memory hides a global one with the same key, where it is visible", () => {
  const recalled = createRecalledMemories([
    memoryOf('a', { isGlobal: true }),
    memoryOf('A', { isLocalOnly: true }),
    memoryOf('b', { isGlobal: true }),
  ]);
  const keysFor = (staysLocal: boolean) => recalled.visibleTo({ staysLocal }).map(({ key }) => key);
  expect(keysFor(true)).toEqual(['A', 'b']);
  expect(keysFor(false)).toEqual(['a', 'b']);
});
