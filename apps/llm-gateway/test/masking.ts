import type { Category, Span } from '@witan/privacy';
import type { CompletionDeps } from '../src/domain/completion/run-completion.ts';
import { createDetectors } from '../src/domain/privacy/create-detectors.ts';
import { createMaskBody } from '../src/domain/privacy/mask-body.ts';

/** What these tests call personal data: easy to see, and no model of names to wait for. */
const FOUND = /(?<EMAIL>[\w.]+@\w+\.io)|(?<PERSON>Ann Lee)|(?<IBAN>GB\d{20})|(?<PHONE>\+44 \d{6})/g;
/** A text that this detector fails on. */
export const POISON = 'poison';

/** Finds what `FOUND` says, of the categories that are wanted. Throws on `POISON`. */
const detect = (text: string, categories: readonly Category[] | undefined): Span[] => {
  if (text.includes(POISON)) throw new Error('the detector failed');
  return [...text.matchAll(FOUND)].flatMap((match) => {
    const named = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)!;
    const category = named[0] as Category;
    const span = { start: match.index, end: match.index + match[0].length, category };
    return categories?.includes(category) === false ? [] : [span];
  });
};

/** Detection and masking as completions have them, over a small detector. */
export const createTestMasking = (): Pick<CompletionDeps, 'scanAhead' | 'maskBody'> => {
  const { scanAhead } = createDetectors({
    createDetector:
      ({ categories }) =>
      (text) =>
        detect(text, categories),
    scanAside: async (settings, texts) => texts.map((text) => detect(text, settings.categories)),
    cacheBytes: 100_000,
  });
  return { scanAhead, maskBody: createMaskBody(Buffer.alloc(32, 7)) };
};
