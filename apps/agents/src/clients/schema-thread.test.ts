import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
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

describe('the thread that judges schemas', () => {
  const open: SchemaThread[] = [];
  const start = (): SchemaThread => {
    const thread = openSchemaThread();
    open.push(thread);
    return thread;
  };
  afterEach(async () => {
    for (const thread of open.splice(0)) await thread.close();
  });

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
  ])('says of %s what does not fit', async (text, misfits) => {
    expect(await start().findMisfits(CITY, text)).toEqual(misfits);
  });

  it('names some of many faults, and of long names their beginning', async () => {
    const thread = start();
    const names = Array.from({ length: 500 }, (_, n) => [`${'x'.repeat(5_000)}${n}`, 1]);
    const misfits = await thread.findMisfits(CITY, JSON.stringify(Object.fromEntries(names)));
    expect(misfits.length).toBeLessThanOrEqual(10);
    expect((misfits as string[]).every((one) => one.length <= 201)).toBe(true);
  });

  it('finds what cannot be compiled, and where', async () => {
    const thread = start();
    const faultOf = (schema: object) => thread.findFault(JSON.stringify(schema));
    expect(await thread.findFault(CITY)).toBeUndefined();
    expect(await faultOf({ type: 'object', properties: { a: { type: 'text' } } })).toEqual({
      path: 'properties.a.type',
      message: expect.stringContaining('must be one of'),
    });
    expect(await faultOf({ type: 'object', required: 'a' })).toMatchObject({ path: 'required' });
    const draft = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
    expect(await faultOf({ ...draft, items: [{}] })).toBeUndefined();
    expect(await faultOf({ ...draft, items: 5 })).toMatchObject({ path: 'items' });
    const circle = { type: 'object', allOf: [{ $ref: '#' }] };
    expect(await faultOf(circle)).toMatchObject({ message: expect.stringContaining('itself') });
  });

  it('lets no schema know of another', async () => {
    const thread = start();
    const first = { type: 'object', $defs: { a: { $id: 'https://a.example/a', type: 'null' } } };
    expect(await thread.findFault(JSON.stringify(first))).toBeUndefined();
    const second = { type: 'object', properties: { a: { $ref: 'https://a.example/a' } } };
    expect(await thread.findFault(JSON.stringify(second))).toMatchObject({
      message: expect.stringContaining('cannot be used'),
    });
  });

  it('gives up on patterns that are never done, and goes on', async () => {
    const thread = start();
    expect(await thread.findMisfits(ENDLESS, HOSTILE)).toBe('undecided');
    expect(await thread.findMisfits(ENDLESS, '{"a":"aa"}')).toEqual([]);
  });

  it('keeps other work of the process going meanwhile', async () => {
    const thread = start();
    await thread.findFault(ENDLESS);
    let hasEnded = false;
    const waiting = thread.findMisfits(ENDLESS, HOSTILE).finally(() => (hasEnded = true));
    // One that ran here would have ended by the next turn.
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
      const waiting = thread.findMisfits(ENDLESS, HOSTILE);
      const outcome = waiting.catch((error: { reason: string }) => error.reason);
      const [worker] = workers;
      const exit = once(worker!, 'exit');
      await worker!.terminate();
      await exit;
      expect(await outcome).toBe('UNAVAILABLE');
      expect(await thread.findMisfits(CITY, '{"city":"a"}')).toEqual([]);
      expect(workers).toHaveLength(2);
    } finally {
      unsubscribe('worker_threads', onWorker);
    }
  });

  it('answers nobody once it is closed', async () => {
    const thread = start();
    await thread.close();
    await expect(thread.findFault(CITY)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });
});
