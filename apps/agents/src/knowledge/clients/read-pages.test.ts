import { describe, expect, it } from '@jest/globals';
import { readPages } from './read-pages.ts';
import type { PdfPages } from './read-pages.ts';

const openPages = (pages: readonly (readonly string[])[]) => {
  const counts = { pages: 0, pieces: 0, cancelled: 0 };
  const pdf: PdfPages = {
    numPages: pages.length,
    getPage: async (number) => {
      counts.pages += 1;
      const runs = pages[number - 1]!;
      let at = 0;
      return {
        cleanup: () => {},
        streamTextContent: () =>
          new ReadableStream(
            {
              pull: (controller) => {
                if (at === runs.length) return controller.close();
                counts.pieces += 1;
                const run = {
                  str: runs[at]!,
                  hasEOL: true,
                  height: 1,
                  transform: [0, 0, 0, 0, 0, 0],
                };
                controller.enqueue({ items: [{ type: 'beginMarkedContent' }, run] });
                at += 1;
              },
              cancel: () => {
                counts.cancelled += 1;
              },
            },
            { highWaterMark: 0 },
          ),
      };
    },
  };
  return { pdf, counts };
};

describe('reading the pages of a PDF', () => {
  it('returns the text and the offset of each page', async () => {
    const { pdf } = openPages([['One', 'line'], [], ['Two']]);
    expect(await readPages(pdf, 100)).toEqual({
      text: 'One\nline\n\n\n\nTwo',
      pageStarts: [0, 10, 12],
    });
  });

  it('reads no page beyond the text limit', async () => {
    const { pdf, counts } = openPages(Array.from({ length: 12_000 }, () => ['x'.repeat(100)]));
    await expect(readPages(pdf, 1_000)).rejects.toMatchObject({ reason: 'REQUEST_TOO_LARGE' });
    expect(counts).toEqual({ pages: 11, pieces: 11, cancelled: 1 });
  });

  it('counts white space towards the text limit', async () => {
    const { pdf, counts } = openPages(Array.from({ length: 12_000 }, () => [' '.repeat(100)]));
    await expect(readPages(pdf, 1_000)).rejects.toMatchObject({ reason: 'REQUEST_TOO_LARGE' });
    expect(counts.pages).toBe(11);
  });

  it('stops within a page at the text limit', async () => {
    const { pdf, counts } = openPages([Array.from({ length: 1_000 }, () => 'x'.repeat(100))]);
    await expect(readPages(pdf, 1_000)).rejects.toMatchObject({ reason: 'REQUEST_TOO_LARGE' });
    expect(counts).toEqual({ pages: 1, pieces: 11, cancelled: 1 });
  });

  it('rejects more than 20,000 pages', async () => {
    const { pdf, counts } = openPages(Array.from({ length: 20_001 }, () => []));
    await expect(readPages(pdf, 1_000)).rejects.toMatchObject({ reason: 'REQUEST_TOO_LARGE' });
    expect(counts.pages).toBe(0);
  });
});
