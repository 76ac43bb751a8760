import { parentPort } from 'node:worker_threads';
import { createDetectorFactory } from '@witan/privacy';
import type { Detect, Span } from '@witan/privacy';
import type { PrivacySettings } from '../domain/privacy/privacy-settings.ts';

/** Texts to scan by a workspace's settings. */
export type ScanRequest = { id: number; settings: PrivacySettings; texts: readonly string[] };

/** Their spans in the same order, or why there are none. */
export type ScanReply =
  | { id: number; spans: readonly (readonly Span[])[] }
  | { id: number; fault: string };

/** Runs in the thread of `scan-worker.ts`. */
const createDetector = createDetectorFactory();
let last: { settings: string; detect: Detect } | undefined;

const detectorFor = (settings: PrivacySettings): Detect => {
  const content = JSON.stringify(settings);
  if (last?.settings !== content) last = { settings: content, detect: createDetector(settings) };
  return last.detect;
};

const scan = ({ id, settings, texts }: ScanRequest): ScanReply => {
  try {
    const detect = detectorFor(settings);
    return { id, spans: texts.map((text) => detect(text)) };
  } catch (error) {
    // The message of a detector's error may quote the text; its name does not.
    return { id, fault: error instanceof Error ? error.name : typeof error };
  }
};

parentPort?.on('message', (request: ScanRequest) => parentPort?.postMessage(scan(request)));
