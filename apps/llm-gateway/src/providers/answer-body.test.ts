import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createAnswerBody } from './answer-body.ts';

const KIB = 1_024;
const chunk = (bytes: number): Uint8Array => new Uint8Array(bytes);

/** A body on a connection that notes what is asked of it. */
const open = () => {
  const asked: string[] = [];
  const body = createAnswerBody({
    pause: () => void asked.push('pause'),
    resume: () => void asked.push('resume'),
    abort: (reason) => void asked.push(`abort: ${reason.message}`),
  });
  return { body, asked };
};

describe('the body of an answer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('gives what came before a failure, and then the failure', async () => {
    const { body } = open();
    body.push(chunk(1));
    body.push(chunk(2));
    body.fail(new Error('cut'));
    expect((await body.next()).value).toHaveLength(1);
    expect((await body.next()).value).toHaveLength(2);
    await expect(body.next()).rejects.toThrow('cut');
  });

  it('gives a reader that waits each chunk as it comes, and the end', async () => {
    const { body, asked } = open();
    const first = body.next();
    body.push(chunk(3));
    expect((await first).value).toHaveLength(3);
    const last = body.next();
    body.end();
    expect(await last).toEqual({ value: undefined, done: true });
    expect(await body.next()).toEqual({ value: undefined, done: true });
    expect(asked).toEqual([]);
  });

  it('fails a reader that waits', async () => {
    const { body } = open();
    const waiting = body.next();
    body.fail(new Error('cut'));
    await expect(waiting).rejects.toThrow('cut');
  });

  it('pauses the connection while 64 KiB wait, until all of it is read', async () => {
    const { body, asked } = open();
    for (let n = 0; n < 3; n += 1) body.push(chunk(32 * KIB));
    expect(asked).toEqual(['pause']);
    await body.next();
    await body.next();
    expect(asked).toEqual(['pause']);
    await body.next();
    expect(asked).toEqual(['pause', 'resume']);
  });

  it('reads away what is left when its reader leaves, and keeps nothing of it', async () => {
    const { body, asked } = open();
    body.push(chunk(1));
    await body.return!();
    body.push(chunk(100));
    expect(await body.next()).toEqual({ value: undefined, done: true });
    body.end();
    jest.advanceTimersByTime(10_000);
    expect(asked).toEqual(['resume']);
  });

  it('gives the connection up when what is left does not end in a second', async () => {
    const { body, asked } = open();
    await body.return!();
    jest.advanceTimersByTime(1_000);
    expect(asked).toEqual(['resume', 'abort: The rest of an answer was late.']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('leaves a connection alone whose answer is over', async () => {
    const { body, asked } = open();
    body.end();
    await body.return!();
    expect(asked).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });
});
