import { describe, expect, it } from '@jest/globals';
import { anchored } from './anchor.ts';
import type { PublicationStore } from './publish.ts';

const noteOf = (size: number): string =>
  `log.witan.test/ledger\n${size}\n${Buffer.alloc(32).toString('base64')}\n\n` +
  `— log.witan.test/ledger ${Buffer.alloc(68).toString('base64')}\n`;

describe('the anchor', () => {
  it.each([
    { stored: undefined, size: 1, isWritten: true },
    { stored: 4, size: 5, isWritten: true },
    { stored: 5, size: 5, isWritten: true },
    { stored: 6, size: 5, isWritten: false },
  ])('never gets smaller: $stored, then $size', async ({ stored, size, isWritten }) => {
    const anchor = { note: stored === undefined ? undefined : noteOf(stored) };
    const before = anchor.note;
    const store: PublicationStore = {
      load: async () => ({ head: undefined, published: undefined, isCurrent: false }),
      save: async () => true,
    };
    const { save } = anchored(store, {
      read: async () => anchor.note,
      write: async (note) => void (anchor.note = note),
    });
    const note = noteOf(size);
    expect(await save({ size, note, policyId: '' })).toBe(true);
    expect(anchor.note).toBe(isWritten ? note : before);
  });
});
