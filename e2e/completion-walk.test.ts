import { expect, it } from '@jest/globals';
import { answerWith } from '@witan/testing';
import { PING } from './http-client.ts';
import { openFixture } from './open-fixture.ts';
import { measureWalk } from './measure-walk.ts';

const MARK = 'watershed';
const QUESTION = `What does a ${MARK} need?`;
const PERSONAL = `${QUESTION} Ask Maria Lindqvist, maria.lindqvist@example.org, +49 30 901820.`;

/**
 * What a call may run at most in one process: files entered, calls of our own functions, parses of
 * its body. These numbers only fall. Calls are rounded up to 50, because frames that arrive apart
 * cost more of them.
 */
const MAXIMA = [
  ['a plain completion', { content: QUESTION, stream: false, files: 108, calls: 1_900, parses: 3 }],
  ['a streamed one', { content: QUESTION, stream: true, files: 115, calls: 2_450, parses: 3 }],
  [
    'a streamed one with personal data',
    { content: PERSONAL, stream: true, files: 116, calls: 3_350, parses: 3 },
  ],
] as const;

it.each(MAXIMA)(
  '%s stays below the maxima of files, own calls and parses of its body',
  async (_name, { content, stream, ...maxima }) => {
    // The model repeats the question, so that masked values are restored in the response.
    await using fixture = await openFixture({
      fallback: async (exchange) => {
        const { messages } = exchange.request.parsed as typeof PING;
        await answerWith({ content: messages[0]!.content })(exchange);
      },
    });
    const body = { ...PING, messages: [{ role: 'user', content }], stream };
    const walk = await measureWalk(() => fixture.client.complete(body), MARK);
    expect(walk.parses).toBeGreaterThan(0);
    expect(walk.parses).toBeLessThanOrEqual(maxima.parses);
    expect(walk.calls).toBeLessThanOrEqual(maxima.calls);
    if (walk.files.length > maxima.files) {
      const { length } = walk.files;
      throw new Error(`${length} files, not ${maxima.files}:\n${walk.files.join('\n')}`);
    }
  },
);
