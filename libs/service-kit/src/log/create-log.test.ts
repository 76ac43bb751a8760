import { describe, expect, it } from '@jest/globals';
import { createLog } from './create-log.ts';
import type { LogLevel } from './create-log.ts';

const CANARY = 'a prompt that nobody may read';

const open = (level: LogLevel = 'debug') => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ service: 'ledger', level, destination });
  const read = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, read };
};
const errorLine = (error: unknown): Record<string, unknown> => {
  const { log, read } = open();
  log.error({ err: error }, 'failed');
  return read()[0]!.err as Record<string, unknown>;
};

describe('the log', () => {
  it('writes a JSON line with time, level, service, fields and message', () => {
    const { log, read } = open();
    log.info({ requestId: 'req_1', count: 3 }, 'done');
    expect(read()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        service: 'ledger',
        requestId: 'req_1',
        count: 3,
        msg: 'done',
      },
    ]);
  });

  it('writes nothing below its level, and nothing at all when silent', () => {
    const { log, read } = open('warn');
    log.debug({}, 'd');
    log.info({}, 'i');
    log.warn({}, 'w');
    log.error({}, 'e');
    expect(read().map(({ msg }) => msg)).toEqual(['w', 'e']);
    const silentLog = open('silent');
    silentLog.log.error({}, 'e');
    expect(silentLog.read()).toEqual([]);
  });

  it('logs type, message, code and stack of an error', () => {
    const error = Object.assign(new TypeError('was wrong'), { code: 'E_WRONG' });
    expect(errorLine(error)).toEqual({
      type: 'TypeError',
      message: 'was wrong',
      code: 'E_WRONG',
      stack: expect.stringMatching(/^\s+at /),
    });
  });

  it('omits other fields of errors at every depth, because they can contain content', () => {
    const cause = Object.assign(new Error('syntax'), { query: CANARY, parameters: [CANARY] });
    const error = Object.assign(new Error('failed', { cause }), {
      detail: CANARY,
      body: { content: CANARY },
      response: Buffer.from(CANARY),
    });
    const { log, lines } = open();
    log.error({ err: error }, 'failed');
    expect(lines.join('')).not.toContain(CANARY);
    expect(lines.join('')).toContain('syntax');
  });

  it('truncates a long message, which can quote the parsed text', () => {
    const { message, stack } = errorLine(new Error(`Unexpected token in ${'x'.repeat(10_000)}`));
    expect(String(message)).toHaveLength(500);
    expect(String(stack)).not.toContain('xxxx');
  });

  it('logs only the type of a thrown value that is not an error', () => {
    expect(errorLine(CANARY)).toEqual({ type: 'string' });
    expect(errorLine({ message: CANARY })).toEqual({ type: 'object' });
  });

  it('limits the chain of causes, even if it is circular', () => {
    const error = new Error('round');
    error.cause = error;
    let depth = 0;
    for (let line = errorLine(error); line.cause; line = line.cause as typeof line) depth += 1;
    expect(depth).toBe(5);
  });
});

describe('createLog without a destination', () => {
  it('opens stdout', () => {
    expect(() => createLog({ service: 'test', level: 'silent' })).not.toThrow();
  });
});
