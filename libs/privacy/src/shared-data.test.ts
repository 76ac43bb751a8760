import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { countViolations } from '../bench/count-violations.ts';
import { createDetector } from './detect.ts';

// WITAN_SHARED_DATA names the directory that contains `pii/dev.jsonl`, by default `shared/data`
// beside the repository. Its published documents are not part of the repository.
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const folder = process.env['WITAN_SHARED_DATA'] ?? `${repository}../shared/data`;
const file = `${folder}/pii/dev.jsonl`;
const isPresent = existsSync(file);
const describeShared = isPresent ? describe : describe.skip;
const skipReason = isPresent
  ? ''
  : ' (skipped: WITAN_SHARED_DATA names no directory that contains pii/)';
if (!isPresent) process.stderr.write(`libs/privacy: evaluation data${skipReason}\n`);

describeShared(`evaluation data${skipReason}`, () => {
  it('is restored in every tenth document, split at every offset and with changed placeholders', () => {
    const texts = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string }).text);
    expect(texts.length).toBeGreaterThan(7000);
    const sample = texts.filter((_text, index) => index % 10 === 0);
    expect(countViolations(sample, createDetector())).toBe(0);
  }, 300_000);
});
