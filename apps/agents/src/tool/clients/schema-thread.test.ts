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
const ENDLESS_SCHEMA = JSON.stringify({
  type: 'object',
  properties: { a: { type: 'string', pattern: '^(a+)+$' } },
});
const HOSTILE = JSON.stringify({ a: `${'a'.repeat(60)}!` });
const ENDLESS_TASK = { schema: ENDLESS_SCHEMA, text: HOSTILE };
const VALID_TASK = { schema: CITY, text: '{"city":"a"}' };
const ANN = { workspaceId: 'ws_ann' };
const BOB = { workspaceId: 'ws_bob' };

describe('openSchemaThread', () => {
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
  ])('returns the violations of %s', async (text, violations) => {
    expect(await shared.findViolations({ schema: CITY, text }, ANN)).toEqual(violations);
  });

  it.each<[string, object, string, string[]]>([
    ['absent', { properties: { constructor: { type: 'string' } } }, '{}', []],
    ['required but missing', { required: ['toString'] }, '{}', ['toString is required']],
    [
      'of the wrong type',
      { properties: { valueOf: { type: 'string' } } },
      '{"valueOf":7}',
      ['valueOf must be string'],
    ],
    [
      'not allowed',
      { additionalProperties: false },
      '{"__proto__":{"a":1}}',
      ['__proto__ is not known'],
    ],
  ])(
    'does not count inherited members as present: a member that is %s',
    async (_name, more, text, violations) => {
      const schema = JSON.stringify({ type: 'object', ...more });
      expect(await shared.findViolations({ schema, text }, ANN)).toEqual(violations);
    },
  );

  it('limits the number and length of violations', async () => {
    const thread = start();
    const names = Array.from({ length: 500 }, (_, n) => [`${'x'.repeat(5_000)}${n}`, 1]);
    const violations = await thread.findViolations(
      { schema: CITY, text: JSON.stringify(Object.fromEntries(names)) },
      ANN,
    );
    expect(violations.length).toBeLessThanOrEqual(10);
    expect((violations as string[]).every((item) => item.length <= 201)).toBe(true);
  });

  it('locates the error of an invalid schema', async () => {
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

  it('isolates schemas from each other', async () => {
    const thread = start();
    const first = { type: 'object', $defs: { a: { $id: 'https://a.example/a', type: 'null' } } };
    expect(await thread.findError(JSON.stringify(first), ANN)).toBeUndefined();
    const second = { type: 'object', properties: { a: { $ref: 'https://a.example/a' } } };
    expect(await thread.findError(JSON.stringify(second), ANN)).toMatchObject({
      message: expect.stringContaining('cannot be used'),
    });
  });

  it('stops patterns that run forever and stays usable', async () => {
    const thread = start();
    expect(await thread.findViolations(ENDLESS_TASK, ANN)).toBe('undecided');
    expect(
      await thread.findViolations({ schema: ENDLESS_SCHEMA, text: '{"a":"aa"}' }, ANN),
    ).toEqual([]);
  });

  it('does not block the event loop', async () => {
    const thread = start();
    await thread.findError(ENDLESS_SCHEMA, ANN);
    let hasEnded = false;
    const waiting = thread.findViolations(ENDLESS_TASK, ANN).finally(() => (hasEnded = true));
    // If the task ran in this thread, it would end before `setImmediate` fires.
    await new Promise(setImmediate);
    expect(hasEnded).toBe(false);
    await waiting;
  });

  it('restarts after a crash and rejects the current task', async () => {
    const workers: Worker[] = [];
    const onWorker = (message: unknown): void => {
      workers.push((message as { worker: Worker }).worker);
    };
    subscribe('worker_threads', onWorker);
    try {
      const thread = start();
      const waiting = thread.findViolations(ENDLESS_TASK, ANN);
      const outcome = waiting.catch((error: { reason: string }) => error.reason);
      const [worker] = workers;
      const exit = once(worker!, 'exit');
      await worker!.terminate();
      await exit;
      expect(await outcome).toBe('UNAVAILABLE');
      expect(await thread.findViolations(VALID_TASK, ANN)).toEqual([]);
      expect(workers).toHaveLength(2);
    } finally {
      unsubscribe('worker_threads', onWorker);
    }
  });

  it('runs tasks round-robin among workspaces', async () => {
    const thread = start();
    const endedTasks: string[] = [];
    const run = (schemaCaller: typeof ANN): Promise<unknown> =>
      thread
        .findViolations(VALID_TASK, schemaCaller)
        .then(() => endedTasks.push(schemaCaller.workspaceId));
    await Promise.all([run(ANN), run(ANN), run(ANN), run(ANN), run(BOB), run(BOB)]);
    const { workspaceId: ann } = ANN;
    const { workspaceId: bob } = BOB;
    expect(endedTasks).toEqual([ann, bob, ann, bob, ann, ann]);
  });

  it('drops the task of a caller that has left', async () => {
    const thread = start();
    const client = new AbortController();
    const endlessTask = thread.findViolations(ENDLESS_TASK, ANN);
    const waiting = thread.findViolations(VALID_TASK, { ...BOB, signal: client.signal });
    const outcome = waiting.catch((error: Error) => error.message);
    client.abort(new Error('left'));
    expect(await outcome).toBe('left');
    expect(await endlessTask).toBe('undecided');
    const late = thread.findViolations(VALID_TASK, { ...BOB, signal: client.signal });
    await expect(late).rejects.toThrow('left');
  });

  it('rejects only the task during which it crashed', async () => {
    const workers: Worker[] = [];
    const onWorker = (message: unknown): void => {
      workers.push((message as { worker: Worker }).worker);
    };
    subscribe('worker_threads', onWorker);
    try {
      const thread = start();
      const crashed = thread
        .findViolations(ENDLESS_TASK, ANN)
        .catch((error: { reason: string }) => error);
      const waiting = thread.findViolations(VALID_TASK, BOB);
      await workers[0]!.terminate();
      expect(await crashed).toMatchObject({ reason: 'UNAVAILABLE' });
      expect(await waiting).toEqual([]);
    } finally {
      unsubscribe('worker_threads', onWorker);
    }
  });

  it('reports a schema that uses too much memory as unusable', async () => {
    const workers: Worker[] = [];
    const onWorker = (message: unknown): void => {
      workers.push((message as { worker: Worker }).worker);
    };
    subscribe('worker_threads', onWorker);
    try {
      const thread = start();
      const tasks = [
        thread.findError(ENDLESS_SCHEMA, ANN),
        thread.findViolations(ENDLESS_TASK, BOB),
      ];
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

  it('limits the waiting tasks of each workspace separately', async () => {
    const thread = start();
    const task = thread.findViolations(ENDLESS_TASK, ANN);
    const tasks = Array.from({ length: 256 }, () => thread.findViolations(VALID_TASK, ANN));
    const outcomes = Promise.allSettled([task, ...tasks]);
    await expect(thread.findViolations(VALID_TASK, ANN)).rejects.toMatchObject({
      reason: 'UNAVAILABLE',
    });
    expect(await thread.findViolations(VALID_TASK, BOB)).toEqual([]);
    await thread.close();
    await outcomes;
  });

  it('rejects all tasks once it is closed', async () => {
    const thread = start();
    const waiting = [
      thread.findViolations(ENDLESS_TASK, ANN),
      thread.findViolations(VALID_TASK, BOB),
    ];
    const outcomes = Promise.allSettled(waiting);
    await thread.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'UNAVAILABLE' } });
    }
    await expect(thread.findError(CITY, ANN)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });
});
