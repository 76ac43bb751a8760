import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { countViolations } from '../bench/count-violations.ts';
import { createDetector } from './detect.ts';

// Documents that others published. They are not part of this repository: WITAN_SHARED_DATA names
// the
// folder that holds `pii/dev.jsonl`, by default ../shared/data beside the repository.
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const folder = process.env['WITAN_SHARED_DATA'] ?? `${repository}../shared/data`;
const file = `${folder}/pii/dev.jsonl`;
const present = existsSync(file);
const describeShared = present ? describe : describe.skip;
const absent = present ? '' : ' (skipped: WITAN_SHARED_DATA names no folder that holds pii/)';
if (!present) process.stderr.write(`libs/privacy: evaluation data${absent}\n`);

describeShared(`evaluation data${absent}`, () => {
  it('comes back, every tenth document, cut at every offset and changed', () => {
    const texts = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { text: string }).text);
    expect(texts.length).toBeGreaterThan(7000);
    // `npm run privacy:measure` takes all of them.
    const some = texts.filter((_text, index) => index % 10 === 0);
    expect(countViolations(some, createDetector())).toBe(0);
  }, 300_000);
});
