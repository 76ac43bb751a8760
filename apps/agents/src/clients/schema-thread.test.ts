import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { openSchemaThread } from './schema-thread.ts';
import type { SchemaThread } from './schema-thread.ts';

const CITY = JSON.stringify({
  type: 'object',
  required: ['city'],
  additionalProperties: false,
  properties: {
    city: { type: 'string', format: 'x-city' },
    days: { type: 'array', items: { type: 'integer' }, maxItems: 3 },
    unit: { enum: ['c', 'f'] },
    kind: { const: 'now' },
    parts: { type: 'object', properties: { a: { type: 'null' } }, unevaluatedProperties: false },
  },
});
const ENDLESS = JSON.stringify({
  type: 'object',
  properties: { a: { type: 'string', pattern: '^(a+)+$' } },
});
const HOSTILE = JSON.stringify({ a: `${'a'.repeat(60)}!` });
const NEVER_DONE = { schema: ENDLESS, text: HOSTILE };
const PLAIN = { schema: CITY, text: '{"city":"a"}' };
const ANN = { workspaceId: 'ws_ann' };
const BOB = { workspaceId: 'ws_bob' };

describe('the thread that judges schemas', () => {
  const open: SchemaThread[] = [];
  const start = (): SchemaThread => {
    const thread = openSchemaThread();
    open.push(thread);
    return thread;
  };
  const shared = openSchemaThread();
  afterEach(async () => {
    for (const thread of open.splice(0)) await thread.close();
  });
  afterAll(() => shared.close());

  it.each<[string, string[]]>([
    ['{"city":"Köln","unit":"c","days":[1],"kind":"now"}', []],
    ['{}', ['city is required']],
    ['{"city":7}', ['city must be string']],
    ['{"city":"a","zip":1}', ['zip is not known']],
    ['{"city":"a","unit":"k"}', ['unit must be one of ["c","f"]']],
    ['{"city":"a","kind":"then"}', ['kind must be "now"']],
    ['{"city":"a","days":[1,"2"]}', ['days[1] must be integer']],
    ['{"city":"a","parts":{"b":1}}', ['parts.b is not known']],
    ['[]', ['the object must be object']],
  ])('says of %s what does not fit', async (text, violations) => {
    expect(await shared.findViolations({ schema: CITY, text }, ANN)).toEqual(violations);
  });

  it.each<[string, object, string, string[]]>([
    ['is not there', { properties: { constructor: { type: 'string' } } }, '{}', []],
    ['is missing', { required: ['toString'] }, '{}', ['toString is required']],
    [
      'is wrong',
      { properties: { valueOf: { type: 'string' } } },
      '{"valueOf":7}',
      ['valueOf must be string'],
    ],
    [
      'is not known',
      { additionalProperties: false },
      '{"__proto__":{"a":1}}',
      ['__proto__ is not known'],
    ],
  ])(
    'tells a member apart that every object has: one that %s',
    async (_name, more, text, violations) => {
      const schema = JSON.stringify({ type: 'object', ...more });
      expect(await shared.findViolations({ schema, text }, ANN)).toEqual(violations);
    },
  );

  it('names some of many faults, and of long names their beginning', async () => {
    const thread = start();
    const names = Array.from({ length: 500 }, (_, n) => [`${'x'.repeat(5_000)}${n}`, 1]);
    const violations = await thread.findViolations(
      { schema: CITY, text: JSON.stringify(Object.fromEntries(names)) },
      ANN,
    );
    expect(violations.length).toBeLessThanOrEqual(10);
    expect((violations as string[]).every((one) => one.length <= 201)).toBe(true);
  });

  it('finds what cannot be compiled, and where', async () => {
    const thread = start();
    const errorOf = (schema: object) => thread.findError(JSON.stringify(schema), ANN);
    expect(await thread.findError(CITY, ANN)).toBeUndefined();
    expect(await errorOf({ type: 'object', properties: { a: { type: 'text' } } })).toEqual({
      path: 'properties.a.type',
      message: expect.stringContaining('must be one of'),
    });
    expect(await errorOf({ type: 'object', required: 'a' })).toMatchObject({ path: 'required' });
    const draft = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
    expect(await errorOf({ ...draft, items: [{}] })).toBeUndefined();
    expect(await errorOf({ ...draft, items: 5 })).toMatchObject({ path: 'items' });
    const circle = { type: 'object', allOf: [{ $ref: '#' }] };
    expect(await errorOf(circle)).toMatchObject({ message: expect.stringContaining('itself') });
  });

  it('lets no schema know of another', async () => {
    const thread = start();
    const first = { type: 'object', $defs: { a: { $id: 'https://a.example/a', type: 'null' } } };
    expect(await thread.findError(JSON.stringify(first), ANN)).toBeUndefined();
    const second = { type: 'object', properties: { a: { $ref: 'https://a.example/a' } } };
    expect(await thread.findError(JSON.stringify(second), ANN)).toMatchObject({
      message: expect.stringContaining('cannot be used'),
    });
  });

  it('gives up on patterns that are never done, and goes on', async () => {
    const thread = start();
    expect(await thread.findViolations(NEVER_DONE, ANN)).toBe('undecided');
    expect(await thread.findViolations({ schema: ENDLESS, text: '{"a":"aa"}' }, ANN)).toEqual([]);
  });

  it('keeps other work of the process going meanwhile', async () => {
    const thread = start();
    await thread.findError(ENDLESS, ANN);
    let hasEnded = false;
    const waiting = thread.findViolations(NEVER_DONE, ANN).finally(() => (hasEnded = true));
    // A task that ran in this thread would have ended before the next event loop turn.
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    await waiting;
  });

  it('is started again when it dies, and says so to who waits', async () => {
    const workers: Worker[] = [];
    const onWorker = (message: unknown): void => {
      workers.push((message as { worker: Worker }).worker);
    };
    subscribe('worker_threads', onWorker);
    try {
      const thread = start();
      const waiting = thread.findViolations(NEVER_DONE, ANN);
      const outcome = waiting.catch((error: { reason: string }) => error.reason);
      const [worker] = workers;
      const exit = once(worker!, 'exit');
      await worker!.terminate();
      await exit;
      expect(await outcome).toBe('UNAVAILABLE');
      expect(await thread.findViolations(PLAIN, ANN)).toEqual([]);
      expect(workers).toHaveLength(2);
    } finally {
      unsubscribe('worker_threads', onWorker);
    }
  });

  it('asks for one workspace after the other, however much one of them brings', async () => {
    const thread = start();
    const ended: string[] = [];
    const ask = (schemaCaller: typeof ANN): Promise<unknown> =>
      thread.findViolations(PLAIN, schemaCaller).then(() => ended.push(schemaCaller.workspaceId));
    await Promise.all([ask(ANN), ask(ANN), ask(ANN), ask(ANN), ask(BOB), ask(BOB)]);
    const { workspaceId: ann } = ANN;
    const { workspaceId: bob } = BOB;
    expect(ended).toEqual([ann, bob, ann, bob, ann, ann]);
  });

  it('passes over who left', async () => {
    const thread = start();
    const leaving = new AbortController();
    const busy = thread.findViolations(NEVER_DONE, ANN);
    const waiting = thread.findViolations(PLAIN, { ...BOB, signal: leaving.signal });
    const outcome = waiting.catch((error: Error) => error.message);
    leaving.abort(new Error('left'));
    expect(await outcome).toBe('left');
    expect(await busy).toBe('undecided');
    const late = thread.findViolations(PLAIN, { ...BOB, signal: leaving.signal });
    await expect(late).rejects.toThrow('left');
  });

  it('tells its death to who brought it, and to nobody else', async () => {
    const workers: Worker[] = [];
    const onWorker = (message: unknown): void => {
      workers.push((message as { worker: Worker }).worker);
    };
    subscribe('worker_threads', onWorker);
    try {
      const thread = start();
      const killer = thread
        .findViolations(NEVER_DONE, ANN)
        .catch((error: { reason: string }) => error);
      const waiting = thread.findViolations(PLAIN, BOB);
      await workers[0]!.terminate();
      expect(await killer).toMatchObject({ reason: 'UNAVAILABLE' });
      expect(await waiting).toEqual([]);
    } finally {
      unsubscribe('worker_threads', onWorker);
    }
  });

  it('takes a schema that the thread ran out of memory of for one that cannot be used', async () => {
    const workers: Worker[] = [];
    const onWorker = (message: unknown): void => {
      workers.push((message as { worker: Worker }).worker);
    };
    subscribe('worker_threads', onWorker);
    try {
      const thread = start();
      const tasks = [thread.findError(ENDLESS, ANN), thread.findViolations(NEVER_DONE, BOB)];
      const error = Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
      workers[0]!.emit('error', error);
      expect(await tasks[0]).toMatchObject({ message: expect.stringContaining('memory') });
      workers[1]!.emit('error', error);
      expect(await tasks[1]).toBe('undecided');
      for (const worker of workers) await worker.terminate();
    } finally {
      unsubscribe('worker_threads', onWorker);
    }
  });

  it('answers nobody once it is closed', async () => {
    const thread = start();
    const waiting = [thread.findViolations(NEVER_DONE, ANN), thread.findViolations(PLAIN, BOB)];
    const outcomes = Promise.allSettled(waiting);
    await thread.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'UNAVAILABLE' } });
    }
    await expect(thread.findError(CITY, ANN)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });
});
