import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createReceivedBody } from './http-provider.ts';

const open = () => {
  const calls: string[] = [];
  const connection = {
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: (reason: Error) => void calls.push(`abort: ${reason.message}`),
  };
  const body = createReceivedBody(connection, (reason) => body.fail(reason));
  const read = (): void =>
    body.read({
      bytes: (chunk) => calls.push(`bytes ${[...chunk].join(' ')}`),
      end: () => calls.push('end'),
      fail: (error) => calls.push(`fail: ${(error as Error).message}`),
    });
  return { body, calls, read };
};

describe('the body of a response', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('passes each chunk and the end to its reader', () => {
    const { body, calls, read } = open();
    read();
    body.bytes(Uint8Array.of(1));
    body.bytes(Uint8Array.of(2, 3));
    body.end();
    body.end();
    expect(calls).toEqual(['bytes 1', 'bytes 2 3', 'end']);
  });

  it('keeps what arrives before its reader, and then passes it on with the failure', () => {
    const { body, calls, read } = open();
    body.bytes(Uint8Array.of(1));
    body.fail(new Error('cut'));
    expect(calls).toEqual([]);
    read();
    expect(calls).toEqual(['bytes 1', 'fail: cut']);
  });

  it('pauses and resumes the connection until it has ended', () => {
    const { body, calls, read } = open();
    read();
    body.pause();
    body.resume();
    body.end();
    body.pause();
    body.resume();
    expect(calls).toEqual(['pause', 'resume', 'end']);
  });

  it('drains the rest after it is discarded, for up to a second', () => {
    const { body, calls, read } = open();
    read();
    body.discard();
    body.bytes(Uint8Array.of(1));
    expect(calls).toEqual(['resume']);
    jest.advanceTimersByTime(1_000);
    expect(calls).toEqual(['resume', 'abort: The rest of the response did not end in time.']);
  });

  it('keeps a connection whose rest ends in time', () => {
    const { body, calls, read } = open();
    read();
    body.discard();
    body.end();
    jest.advanceTimersByTime(1_000);
    expect(calls).toEqual(['resume']);
  });

  it('closes the connection and fails its reader when it is aborted', () => {
    const { body, calls, read } = open();
    read();
    body.abort(new Error('stop'));
    expect(calls).toEqual(['abort: stop', 'fail: stop']);
  });
});
