import type { Category, Span } from '@witan/privacy';
import { createDetectors, maskJson } from '../src/masking/mask-json.ts';
import { createPrivacy } from '../src/masking/mask-request.ts';
import type { Privacy } from '../src/masking/mask-request.ts';
import type { MaskTask } from '../src/masking/mask-json.ts';

const PERSONAL_DATA =
  /(?<EMAIL>[\w.]+@\w+\.io)|(?<PERSON>Ann Lee)|(?<IBAN>GB\d{20})|(?<PHONE>\+44 \d{6})/g;
export const UNMASKABLE_TEXT = 'poison';

const detect = (text: string, categories: readonly Category[] | undefined): Span[] => {
  if (text.includes(UNMASKABLE_TEXT)) throw new Error('the detector failed');
  return [...text.matchAll(PERSONAL_DATA)].flatMap((match) => {
    const named = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)!;
    const category = named[0] as Category;
    const span = { start: match.index, end: match.index + match[0].length, category };
    return categories?.includes(category) === false ? [] : [span];
  });
};

export const createTestPrivacy = (onOffload: (task: MaskTask) => void = () => {}): Privacy => {
  const detectorFor = createDetectors({
    createDetector:
      ({ categories }) =>
      (text) =>
        detect(text, categories),
    cacheBytes: 100_000,
  });
  const mask = (task: MaskTask) => maskJson(task, detectorFor);
  return createPrivacy({
    secretsKey: Buffer.alloc(32, 7),
    mask,
    maskInWorker: async (task) => {
      onOffload(task);
      return mask(task);
    },
  });
};
