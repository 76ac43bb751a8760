import { describe, expect, it } from '@jest/globals';
import type { Provider } from '../provider/provider.ts';
import { createModelCatalogue } from './model-catalogue.ts';

type Listing = Provider['listModels'];

const provider = (name: Provider['name'], listModels: Listing): Provider => ({
  name,
  dialects: ['chat-completions'],
  listModels,
  complete: async () => {
    throw new Error('must not be called');
  },
});

const open = (...providers: Provider[]) => {
  const setup = { now: 0, failed: [] as string[] };
  const catalogue = createModelCatalogue(providers, {
    clock: () => setup.now,
    onFailure: (name) => void setup.failed.push(name),
  });
  return { setup, catalogue };
};

describe('the model catalogue', () => {
  it('lists what every provider offers', async () => {
    const { catalogue } = open(
      provider('openai', async () => ['gpt-5', 'o3']),
      provider('local', async () => ['llama']),
    );
    expect(await catalogue.list()).toEqual([
      { id: 'gpt-5', provider: 'openai' },
      { id: 'o3', provider: 'openai' },
      { id: 'llama', provider: 'local' },
    ]);
  });

  it('omits a provider that is unreachable, and reports it', async () => {
    const { setup, catalogue } = open(
      provider('openai', async () => {
        throw new Error('down');
      }),
      provider('local', async () => ['llama']),
    );
    expect(await catalogue.list()).toEqual([{ id: 'llama', provider: 'local' }]);
    expect(setup.failed).toEqual(['openai']);
  });

  it('does not wait for a slow provider, and aborts its request', async () => {
    const slowListing: Listing = (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const { setup, catalogue } = open(
      provider('openai', slowListing),
      provider('local', async () => ['llama']),
    );
    expect(await catalogue.list()).toEqual([{ id: 'llama', provider: 'local' }]);
    expect(setup.failed).toEqual(['openai']);
  });

  it('fetches once a minute, and once for concurrent calls', async () => {
    let fetches = 0;
    const { setup, catalogue } = open(
      provider('openai', async () => {
        fetches += 1;
        return [`gpt-${fetches}`];
      }),
    );
    await Promise.all([catalogue.list(), catalogue.list()]);
    setup.now = 59_999;
    expect(await catalogue.list()).toEqual([{ id: 'gpt-1', provider: 'openai' }]);
    setup.now = 60_000;
    expect(await catalogue.list()).toEqual([{ id: 'gpt-2', provider: 'openai' }]);
    expect(fetches).toBe(2);
  });

  it('fetches the models before the first result', async () => {
    const { catalogue } = open(provider('local', async () => ['llama']));
    expect(await catalogue.isOfferedBy('local', 'llama')).toBe(true);
    expect(await catalogue.isOfferedBy('openai', 'llama')).toBe(false);
    expect(await catalogue.isOfferedBy('local', 'gpt-5')).toBe(false);
  });

  it('keeps the previous models of a provider that fails', async () => {
    let isAvailable = true;
    const { setup, catalogue } = open(
      provider('local', async () => {
        if (!isAvailable) throw new Error('down');
        return ['llama'];
      }),
    );
    expect(await catalogue.isOfferedBy('local', 'llama')).toBe(true);
    isAvailable = false;
    setup.now = 60_000;
    expect(await catalogue.isOfferedBy('local', 'llama')).toBe(true);
    expect(setup.failed).toEqual(['local']);
  });
});
