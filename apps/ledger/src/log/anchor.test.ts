import { describe, expect, it } from '@jest/globals';
import { createAnchoredSigner, verifyAnchor } from './anchor.ts';

const ORIGIN = 'log.witan.test/ledger';
const root = new Uint8Array(32);

const noteOf = (size: number): string =>
  `${ORIGIN}\n${size}\n${Buffer.from(root).toString('base64')}\n\n` +
  `— ${ORIGIN} ${Buffer.alloc(68).toString('base64')}\n`;

const signer = {
  keys: [],
  vkeys: [],
  sign: async ({ size }: { size: number }) => noteOf(size),
};

/** An anchor whose update takes time, as that of a file does. */
const open = (stored?: number) => {
  const anchor = { note: stored === undefined ? undefined : noteOf(stored) };
  const file = {
    read: async () => {
      const { note } = anchor;
      await Promise.resolve();
      return note;
    },
    write: async (note: string) => {
      await Promise.resolve();
      anchor.note = note;
    },
  };
  let last: Promise<unknown> = Promise.resolve();
  const exclusively = <T>(work: () => Promise<T>): Promise<T> => {
    const running = last.then(work);
    last = running.catch(() => {});
    return running;
  };
  return { anchor, file, signer: createAnchoredSigner(signer, file, exclusively) };
};

describe('the anchor', () => {
  it.each([
    { stored: undefined, size: 1, is: 1 },
    { stored: 4, size: 5, is: 5 },
    { stored: 5, size: 5, is: 5 },
    { stored: 6, size: 5, is: 6 },
  ])('never gets smaller: $stored, then $size', async ({ stored, size, is }) => {
    const opened = open(stored);
    expect(await opened.signer.sign({ origin: ORIGIN, size, root })).toBe(noteOf(size));
    expect(opened.anchor.note).toBe(noteOf(is));
  });

  it('never gets smaller if several replicas sign at once', async () => {
    const opened = open(1);
    await Promise.all(
      [3, 7, 5, 2].map((size) => opened.signer.sign({ origin: ORIGIN, size, root })),
    );
    expect(opened.anchor.note).toBe(noteOf(7));
  });

  it('has a checkpoint before it is signed for others, so a failure gives no signature', async () => {
    const failing = { read: async () => undefined, write: () => Promise.reject(new Error('full')) };
    const anchored = createAnchoredSigner(signer, failing, (work) => work());
    await expect(anchored.sign({ origin: ORIGIN, size: 1, root })).rejects.toThrow('full');
  });

  it.each(['', 'half of a note\n', `${ORIGIN}\n\n`])(
    'names itself if it is torn: %j',
    async (note) => {
      const store = {
        findHead: async () => undefined,
        halt: async () => {},
        resume: async () => {},
      };
      const anchor = { read: async () => note, write: async () => {} };
      await expect(verifyAnchor({ anchor, store, keys: [], origin: ORIGIN })).rejects.toThrow(
        'The anchor file is not a signed checkpoint',
      );
    },
  );
});
