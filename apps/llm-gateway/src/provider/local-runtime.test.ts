import { describe, expect, it } from '@jest/globals';
import { createLocalRuntime, findContextTokens } from './local-runtime.ts';

const QWEN = { provider: 'local', model: 'qwen' };

/** Opens a runtime that responds with an object on one path. */
const open = (responses: Readonly<Record<string, object>>) => {
  const paths: string[] = [];
  const clock = { now: 0 };
  const runtime = createLocalRuntime(
    async (path) => {
      paths.push(path);
      const found = Object.entries(responses).find(([start]) => path.startsWith(start));
      if (!found) throw new Error('404');
      return { ...found[1] };
    },
    () => clock.now,
  );
  return { ...runtime, paths, clock };
};

describe('the context window of the local runtime', () => {
  it.each<[string, Record<string, object>, number | undefined]>([
    ['llama.cpp', { '/props': { default_generation_settings: { n_ctx: 8192 } } }, 8192],
    ['vLLM', { '/v1/models': { data: [{ id: 'qwen', max_model_len: 32768 }] } }, 32768],
    [
      'a runtime with meta data',
      { '/v1/models': { data: [{ id: 'qwen', meta: { n_ctx: 2048 } }] } },
      2048,
    ],
    [
      'a running Ollama',
      { '/api/ps': { models: [{ name: 'qwen:latest', context_length: 4096 }] } },
      4096,
    ],
    ['Ollama', { '/api/show': { parameters: 'stop "x"\nnum_ctx 16384\n' } }, 16384],
    [
      'another model only',
      { '/v1/models': { data: [{ id: 'other', max_model_len: 9 }] } },
      undefined,
    ],
    ['an odd value', { '/props': { default_generation_settings: { n_ctx: -1 } } }, undefined],
    ['nothing', {}, undefined],
  ])('is read from %s', async (_name, responses, contextTokens) => {
    expect((await open(responses).describe('qwen')).contextTokens).toBe(contextTokens);
  });

  it('is read once a minute', async () => {
    const { describe: read, paths, clock } = open({});
    await Promise.all([read('qwen'), read('qwen')]);
    expect(paths).toHaveLength(4);
    clock.now += 60_000;
    await read('qwen');
    expect(paths).toHaveLength(8);
  });

  it('is learnt from an error, unless the runtime reports it', async () => {
    const silent = open({});
    silent.onContext({ provider: 'other', model: 'qwen' }, 99);
    silent.onContext(QWEN, 4096);
    expect((await silent.describe('qwen')).contextTokens).toBe(4096);
    const reporting = open({ '/props': { default_generation_settings: { n_ctx: 8192 } } });
    reporting.onContext(QWEN, 4096);
    expect((await reporting.describe('qwen')).contextTokens).toBe(8192);
  });

  it('stays known while the runtime does not respond', async () => {
    const responses = { '/props': { default_generation_settings: { n_ctx: 8192 } } };
    const { describe: read, clock } = open(responses);
    await read('qwen');
    responses['/props'].default_generation_settings.n_ctx = -1;
    clock.now += 60_000;
    expect((await read('qwen')).contextTokens).toBe(8192);
  });

  it('is known of the models that were used last, not of all that were ever named', async () => {
    const { describe: read, onContext } = open({});
    for (let index = 0; index <= 1_000; index += 1) {
      onContext({ provider: 'local', model: `model-${index}` }, 4096);
    }
    expect((await read('model-1000')).contextTokens).toBe(4096);
    expect((await read('model-0')).contextTokens).toBeUndefined();
  });

  it.each<[string, number | undefined]>([
    ['{"error":{"message":"exceeds","n_prompt_tokens":10400,"n_ctx":8192}}', 8192],
    ['{"error":{"message":"the request exceeds the available context size (8192 tokens)"}}', 8192],
    ['{"message":"This model\'s maximum context length is 4096 tokens."}', 4096],
    ['{"error":{"message":"bad request"}}', undefined],
    ['n_ctx": 5', undefined],
  ])('is found in an error: %s', (text, contextTokens) => {
    expect(findContextTokens(Buffer.from(text))).toBe(contextTokens);
  });
});

describe('the speed of the local runtime', () => {
  type EndedCall = [promptTokens: number, tokens: number, durationMs: number, failure?: string];
  const speedAfter = async (...calls: readonly EndedCall[]) => {
    const { describe: read, onEnded } = open({});
    for (const [promptTokens, completionTokens, durationMs, failure] of calls) {
      const ending = { promptTokens, completionTokens };
      onEnded({ ...QWEN, durationMs, ending, ...(failure ? { failure } : {}) });
    }
    return (await read('qwen')).tokenMs;
  };

  it('is unknown before the first call, and after calls that are too short to measure', async () => {
    expect(await speedAfter()).toBeUndefined();
    expect(await speedAfter([8, 2, 900])).toBeUndefined();
  });

  it('counts eight prompt tokens as a generated one, and a slower call in full', async () => {
    expect(await speedAfter([800, 100, 20_000])).toBe(100);
    expect(await speedAfter([800, 100, 20_000], [0, 100, 30_000])).toBe(300);
    expect(await speedAfter([800, 100, 20_000], [0, 100, 5_000])).toBe(85);
  });

  it('is not that of a call that was aborted at once, but a time-out shows a slower one', async () => {
    expect(await speedAfter([8_000, 0, 50, 'CANCELLED'])).toBeUndefined();
    expect(await speedAfter([800, 100, 20_000], [8_000, 0, 50, 'CANCELLED'])).toBe(100);
    expect(await speedAfter([800, 100, 20_000], [800, 0, 30_000, 'CANCELLED'])).toBe(300);
  });
});
