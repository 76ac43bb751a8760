import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runDetect } from './run-detect.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'privacy-detect-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(input: string | undefined, argv?: string[]) {
  const [from, to] = ['in.jsonl', 'out.jsonl'].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  if (input !== undefined) writeFileSync(from, input);
  const errors: string[] = [];
  const code = await runDetect(argv ?? ['--in', from, '--out', to], {
    detect: (text) => (text === '' ? [] : [{ start: 0, end: text.length, type: 'EMAIL' }]),
    stderr: (line) => void errors.push(line),
  });
  return { code, errors, out: existsSync(to) ? readFileSync(to, 'utf8') : undefined };
}

describe('privacy:detect', () => {
  it('writes a result for each row, in order', async () => {
    const rows = '\uFEFF{"id":"a","text":"x@y.io","corpus":"c"}\r\n\n{"id":"b","text":""}';
    expect(await run(rows)).toEqual({
      code: 0,
      errors: [],
      out: '{"id":"a","spans":[{"start":0,"end":6,"type":"EMAIL"}]}\n{"id":"b","spans":[]}\n',
    });
  });

  it.each([
    ['{"id":"a","text":"x"}\n{"id":', /line 2: is no JSON: /],
    ['[]', /line 1: is no JSON object/],
    ['{"id":1,"text":"x"}', /line 1: has no string "id"/],
    ['\n{"id":"a"}', /line 2: has no string "text"/],
  ])('rejects %j and leaves no partial file', async (input, message) => {
    const { code, errors, out } = await run(input);
    expect([code, out]).toEqual([1, undefined]);
    expect(errors).toEqual([expect.stringMatching(message)]);
  });

  it('reports a missing file', async () => {
    const { code, errors } = await run(undefined);
    expect([code, errors]).toEqual([1, [expect.stringMatching(/ENOENT.*in\.jsonl/)]]);
  });

  it.each([[[]], [['--in', 'x']], [['--in', 'x', '--out', 'y', 'z']], [['--what']]])(
    'prints its usage for %j',
    async (argv) => {
      const { code, errors } = await run(undefined, argv);
      expect([code, errors.at(-1)]).toEqual([2, expect.stringMatching(/^Usage: /)]);
    },
  );
});
