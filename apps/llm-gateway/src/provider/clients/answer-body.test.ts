import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createAnswerBody } from './answer-body.ts';

const KIB = 1_024;
const chunk = (bytes: number): Uint8Array => new Uint8Array(bytes);

const open = (onResume = (): void => {}) => {
  const calls: string[] = [];
  const body = createAnswerBody({
    pause: () => void calls.push('pause'),
    resume: () => {
      calls.push('resume');
      onResume();
    },
    abort: (reason) => void calls.push(`abort: ${reason.message}`),
  });
  return { body, calls };
};

describe('the body of an answer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('returns the chunks before a failure as one, then the failure', async () => {
    const { body } = open();
    body.push(Uint8Array.of(1));
    body.push(Uint8Array.of(2, 3));
    body.fail(new Error('cut'));
    expect((await body.next()).value).toEqual(Buffer.from([1, 2, 3]));
    await expect(body.next()).rejects.toThrow('cut');
  });

  it('passes each chunk and the end to a waiting reader', async () => {
    const { body, calls } = open();
    const first = body.next();
    body.push(chunk(3));
    expect((await first).value).toHaveLength(3);
    const last = body.next();
    body.end();
    expect(await last).toEqual({ value: undefined, done: true });
    expect(await body.next()).toEqual({ value: undefined, done: true });
    expect(calls).toEqual([]);
  });

  it('joins the chunks of one tick for a waiting reader', async () => {
    const { body } = open();
    const first = body.next();
    body.push(Uint8Array.of(1));
    body.push(Uint8Array.of(2));
    body.end();
    expect((await first).value).toEqual(Buffer.from([1, 2]));
    expect(await body.next()).toEqual({ value: undefined, done: true });
  });

  it('rejects a waiting reader', async () => {
    const { body } = open();
    const waiting = body.next();
    body.fail(new Error('cut'));
    await expect(waiting).rejects.toThrow('cut');
  });

  it('pauses the connection while 64 KiB are buffered, until all are read', async () => {
    const { body, calls } = open();
    for (let n = 0; n < 4; n += 1) body.push(chunk(32 * KIB));
    expect(calls).toEqual(['pause']);
    await body.next();
    expect(calls).toEqual(['pause', 'resume']);
  });

  it.each([
    ['a chunk and the end', [Uint8Array.of(9)]],
    ['only the end', []],
  ])('loses nothing when %s arrive while the connection resumes', async (_name, rest) => {
    const { body, calls } = open(() => {
      for (const piece of rest) body.push(piece);
      body.end();
    });
    for (let n = 0; n < 4; n += 1) body.push(chunk(32 * KIB));
    expect((await body.next()).value).toHaveLength(128 * KIB);
    for (const piece of rest) expect((await body.next()).value).toEqual(piece);
    expect(await body.next()).toEqual({ value: undefined, done: true });
    expect(calls).toEqual(['pause', 'resume']);
  });

  it('pauses again when more than 64 KiB arrive while the connection resumes', async () => {
    let resumes = 0;
    const { body, calls } = open(() => {
      resumes += 1;
      if (resumes === 1) body.push(chunk(100 * KIB));
    });
    body.push(chunk(100 * KIB));
    await body.next();
    expect(calls).toEqual(['pause', 'resume', 'pause']);
    expect((await body.next()).value).toHaveLength(100 * KIB);
    expect(calls).toEqual(['pause', 'resume', 'pause', 'resume']);
  });

  it('drains the rest when its reader stops early, without buffering it', async () => {
    const { body, calls } = open();
    body.push(chunk(1));
    await body.return!();
    body.push(chunk(100));
    expect(await body.next()).toEqual({ value: undefined, done: true });
    body.end();
    jest.advanceTimersByTime(10_000);
    expect(calls).toEqual(['resume']);
  });

  it('does not pause for a rest that arrives while it is drained', async () => {
    const { body, calls } = open(() => body.push(chunk(100 * KIB)));
    await body.return!();
    body.end();
    expect(calls).toEqual(['resume']);
  });

  it('aborts the connection when the rest does not end within a second', async () => {
    const { body, calls } = open();
    await body.return!();
    jest.advanceTimersByTime(1_000);
    expect(calls).toEqual(['resume', 'abort: The rest of the response did not end in time.']);
    jest.advanceTimersByTime(10_000);
    expect(calls).toHaveLength(2);
  });

  it('does not change a connection whose answer has ended', async () => {
    const { body, calls } = open();
    body.end();
    await body.return!();
    jest.advanceTimersByTime(10_000);
    expect(calls).toEqual([]);
  });
});
