import { hash } from 'node:crypto';
import { ENDPOINTS } from '@witan/dialects';
import type { EndpointName, JsonObject } from '@witan/dialects';
import { createMasker, createScanCache } from '@witan/privacy';
import type {
  CategoryCounts,
  Detect,
  DetectOptions,
  JsonMaskOptions,
  PlaceholderTable,
  Steps,
} from '@witan/privacy';
import type { PrivacySettings } from './privacy-settings.ts';

/** A JSON text and everything that masking it needs, as plain data for a worker thread. */
export type MaskTask = {
  text: string;
  /** Dialect of a request body; undefined for JSON that is not in a dialect. */
  dialect: EndpointName | undefined;
  settings: PrivacySettings;
  key: Uint8Array;
};

export type MaskedJson = {
  text: string;
  counts: CategoryCounts;
  table: PlaceholderTable;
  /**
   * Number of images, documents and recordings, which are not read, and of findings where a
   * placeholder would break the call: enum values, patterns, ids, routing, names of tools.
   */
  uninspected: number;
};

/** Masks a JSON text. Throws the detector's errors, JsonDepthError and TextTooLongError. */
export const maskJson = (task: MaskTask, detectorFor: DetectorFor): MaskedJson => {
  const { masker, roleOf, toMasked } = openMasking(task, detectorFor);
  return toMasked(masker.maskJsonText(task.text, { roleOf }));
};

/** Does the same in steps, between which other texts can be masked. */
export function* maskJsonInSteps(task: MaskTask, detectorFor: DetectorFor): Steps<MaskedJson> {
  const { masker, roleOf, toMasked } = openMasking(task, detectorFor);
  return toMasked(yield* masker.maskJsonInSteps(task.text, { roleOf }));
}

const openMasking = ({ dialect, settings, key }: MaskTask, detectorFor: DetectorFor) => {
  const masker = createMasker({ key, detect: detectorFor(settings), sha256 });
  const media = new Set<string>();
  const toRequestLeaf = dialect && ENDPOINTS[dialect].toRequestLeaf;
  const roleOf: JsonMaskOptions['roleOf'] =
    toRequestLeaf &&
    ((path, root, kind) => {
      const leaf = toRequestLeaf(path, root as JsonObject);
      if (leaf === 'media' && kind === 'string') media.add(JSON.stringify(path.slice(0, -1)));
      return leaf === 'media' || leaf === 'signed' ? 'unread' : leaf;
    });
  const toMasked = (text: string): MaskedJson => ({
    text,
    counts: masker.counts(),
    table: masker.table,
    uninspected: media.size + masker.unmasked(),
  });
  return { masker, roleOf, toMasked };
};

/** As hex, because Node allocates memory outside of its heap for each hash that is bytes. */
const sha256 = (data: Uint8Array): Uint8Array => Buffer.from(hash('sha256', data, 'hex'), 'hex');

export type DetectorFor = (settings: PrivacySettings) => Detect;

type DetectorsOptions = {
  /** Creates a detector. All detectors share one name model. */
  createDetector: (options: DetectOptions) => Detect;
  /**
   * Maximum size of the cache of findings in bytes. It avoids scanning earlier turns of a chat
   * again.
   */
  cacheBytes: number;
};

/** Maximum number of cached detectors; each takes up to some hundred kilobytes. */
const CACHED_MAX = 200;

export const createDetectors = ({ createDetector, cacheBytes }: DetectorsOptions): DetectorFor => {
  const cache = createScanCache({
    bytesMax: cacheBytes,
    hash: (text) => hash('sha256', text, 'base64'),
  });
  const bySettings = new WeakMap<PrivacySettings, Detect>();
  const byContent = new Map<string, Detect>();

  const open = (settings: PrivacySettings): Detect => {
    // Settings are reloaded every few seconds into new objects but rarely change, so detectors are
    // cached by the settings' content.
    const content = hash('sha256', JSON.stringify(settings), 'base64');
    const detect = byContent.get(content) ?? cache.wrap(content, createDetector(settings));
    byContent.delete(content);
    byContent.set(content, detect);
    if (byContent.size > CACHED_MAX) byContent.delete(byContent.keys().next().value!);
    bySettings.set(settings, detect);
    return detect;
  };
  return (settings) => bySettings.get(settings) ?? open(settings);
};
