import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from '@jest/globals';
import { answerWith } from '@witan/testing';
import { PING } from './http-client.ts';
import { measureWalk } from './measure-walk.ts';
import { openFixture } from './open-fixture.ts';

/**
 * What a call may run at most in one process; docs/life-of-a-completion.md shows the file. The
 * numbers only fall: `WITAN_RECORD=1 npm test -- e2e/completion-walk` replaces them if none rises.
 */
const MAXIMA_FILE = fileURLToPath(new URL('completion-walk.json', import.meta.url));
const { WITAN_RECORD = '' } = process.env;

const MARK = 'watershed';
const QUESTION = `What does a ${MARK} need?`;
const PERSONAL = `${QUESTION} Ask Maria Lindqvist, maria.lindqvist@example.org, +49 30 901820.`;
const CALLS = [
  ['plain', { content: QUESTION, stream: false }],
  ['streamed', { content: QUESTION, stream: true }],
  ['streamed, personal data', { content: PERSONAL, stream: true }],
] as const;

type Maxima = {
  /** Files entered, by service or library. */
  files: Readonly<Record<string, number>>;
  /** Calls of our own functions, and a hundredth: frames that arrive apart cost more of them. */
  calls: number;
  parses: number;
  forms: number;
};
const CALLS_SLACK = 1.01;
const CALLS_UNIT = 50;

const maxima = JSON.parse(await readFile(MAXIMA_FILE, 'utf8')) as Record<string, Maxima>;
const measured: Record<string, Maxima> = {};

afterAll(async () => {
  if (WITAN_RECORD === '' || Object.keys(measured).length < CALLS.length) return;
  await writeFile(MAXIMA_FILE, `${JSON.stringify(measured, undefined, 2)}\n`);
});

it.each(CALLS)(
  'a completion (%s) stays below its maxima of files, own calls, parses and forms of its body',
  async (name, { content, stream }) => {
    // The model repeats the question, so that masked values are restored in the response.
    await using fixture = await openFixture({
      fallback: async (exchange) => {
        const { messages } = exchange.request.parsed as typeof PING;
        await answerWith({ content: messages[0]!.content })(exchange);
      },
    });
    const body = { ...PING, messages: [{ role: 'user', content }], stream };
    const walk = await measureWalk(() => fixture.client.complete(body), MARK);
    const { files, calls, parses, forms } = maxima[name]!;
    expect(walk.parses).toBeGreaterThan(0);
    expect(walk.parses).toBeLessThanOrEqual(parses);
    expect(walk.forms).toBeLessThanOrEqual(forms);
    expect(walk.calls).toBeLessThanOrEqual(calls);
    const most = Object.values(files).reduce((sum, count) => sum + count, 0);
    if (walk.files.length > most) {
      throw new Error(`${walk.files.length} files, not ${most}:\n${walk.files.join('\n')}`);
    }
    const folders = Map.groupBy(walk.files, (file) => file.split('/')[1]!);
    measured[name] = {
      files: Object.fromEntries([...folders].map(([folder, { length }]) => [folder, length])),
      calls: Math.ceil((walk.calls * CALLS_SLACK) / CALLS_UNIT) * CALLS_UNIT,
      parses: walk.parses,
      forms: walk.forms,
    };
  },
);
