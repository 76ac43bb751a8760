import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { createFakeProvider } from '../../test/fake-provider.ts';
import { openCompletions } from '../../test/open-completions.ts';
import { chatFrames, failing, streamOf, timedOut } from '../../test/provider-answers.ts';
import { wireRequest } from '../../test/requests.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Returns the names of the objects that garbage collection has not freed. */
const survivors = async (objects: ReadonlyMap<string, WeakRef<object>>): Promise<string[]> => {
  for (let round = 0; round < 5; round += 1) {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    collectGarbage();
  }
  return [...objects].flatMap(([name, object]) => (object.deref() ? [name] : []));
};

/**
 * Opens a stream of the second of two providers, after the first one timed out. The stream pauses
 * until `resume` is called.
 */
const openStream = () => {
  const objects = new Map<string, WeakRef<object>>();
  const paused = Promise.withResolvers<void>();
  const providers = ['a', 'b'].map((name) =>
    createFakeProvider({ name, reply: name === 'a' ? failing(timedOut) : undefined }),
  );
  const completions = openCompletions({
    providers: providers.map((provider) => ({
      ...provider,
      complete: async (call) => {
        objects.set(`bytes for ${provider.name}`, new WeakRef(call.body));
        if (provider.name === 'a') return await provider.complete({ ...call, body: Buffer.of() });
        const [first = '', ...rest] = chatFrames();
        return streamOf(
          (async function* frames() {
            yield first;
            yield* rest.slice(0, 1);
            await paused.promise;
            yield* rest.slice(1);
          })(),
        );
      },
    })),
  });
  const { parse } = JSON;
  const run = completions.run(wireRequest('chat-completions', { stream: true }));
  const open = async (): Promise<void> => {
    JSON.parse = (text: string) => {
      const value = parse(text) as { messages?: unknown } | null;
      if (value?.messages) objects.set('parsed body', new WeakRef(value));
      return value;
    };
    try {
      await run.next();
    } finally {
      JSON.parse = parse;
    }
  };
  return { run, open, objects, resume: () => paused.resolve() };
};

describe('while an answer streams', () => {
  it('neither the parsed request nor the sent bytes stay in memory', async () => {
    const { run, open, objects, resume } = openStream();
    await open();
    expect([...objects.keys()].toSorted()).toEqual(['bytes for a', 'bytes for b', 'parsed body']);
    expect(await survivors(objects)).toEqual([]);
    resume();
    const kinds: unknown[] = [];
    for await (const { event } of run) kinds.push(event?.case);
    expect(kinds.at(-1)).toBe('completed');
  });
});
