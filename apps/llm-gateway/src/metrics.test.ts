import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { EndedAttempt } from './completion/completion.ts';
import { createMetrics, toEndingAttributes } from './metrics.ts';

const ENDED: EndedAttempt = {
  operation: 'chat',
  provider: 'openai',
  model: 'gpt-full',
  agent: '',
  status: 200,
  masked: 0,
  isStreamed: false,
  durationMs: 700,
  ending: {
    finishReason: 'stop',
    promptTokens: 9,
    completionTokens: 7,
    totalTokens: 16,
    cachedTokens: 4,
    reasoningTokens: 5,
  },
};

const observe = async (...ended: EndedAttempt[]): Promise<string> => {
  const registry = new Registry();
  const operated = { providers: new Set(['openai']), models: new Set(['gpt-full']) };
  const metrics = createMetrics(registry, operated);
  for (const one of ended) metrics.onEnded(one);
  return registry.metrics();
};

const labelsOf = (provider: string, model: string): string =>
  `gen_ai_operation_name="chat",gen_ai_provider_name="${provider}",gen_ai_request_model="${model}"`;

describe('the metrics of the conventions for generative AI', () => {
  const name = 'gen_ai_client_inference';
  const labels = labelsOf('openai', 'gpt-full');

  it('have the bucket boundaries of the conventions', async () => {
    const text = await observe(ENDED);
    const boundaries = [...text.matchAll(/duration_seconds_bucket\{le="([^"]+)"/g)].map(
      ([, boundary]) => Number(boundary),
    );
    expect(boundaries.slice(0, -1)).toEqual([
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ]);
    expect(text).toContain(`${name}_duration_seconds_bucket{le="0.64",${labels}} 0\n`);
    expect(text).toContain(`${name}_duration_seconds_bucket{le="1.28",${labels}} 1\n`);
  });

  it('count the tokens that were reported', async () => {
    const text = await observe(ENDED, ENDED);
    const counts = [...text.matchAll(/^gen_ai_client_inference_usage_(\w+)_total\{.*\} (\d+)$/gm)];
    expect(Object.fromEntries(counts.map(([, count, value]) => [count, Number(value)]))).toEqual({
      input_tokens: 18,
      output_tokens: 14,
      cache_read_input_tokens: 8,
      reasoning_output_tokens: 10,
    });
    expect(text).toContain(
      `${name}_usage_input_tokens_total{${labels},gen_ai_token_modality="unknown"} 18\n`,
    );
  });

  it('measure failures, with their reason', async () => {
    const { ending: _ending, ...unsent } = ENDED;
    const text = await observe({ ...unsent, status: 0, failure: 'PROVIDER_UNREACHABLE' });
    const failed = `${labels},error_type="PROVIDER_UNREACHABLE"`;
    expect(text).toContain(`${name}_duration_seconds_count{${failed}} 1\n`);
  });

  it.each([
    ['a provider of a workspace', { provider: 'ours' }, 'workspace'],
    ['a model that only the client named', { model: 'gpt-test' }, 'openai'],
  ])('do not name the model of %s', async (_name, changed, provider) => {
    const text = await observe({ ...ENDED, ...changed });
    const labelled = labelsOf(provider, 'other');
    expect(text).toContain(`${name}_duration_seconds_count{${labelled}} 1\n`);
  });
});

describe('the attributes of an ended call', () => {
  const usage = { promptTokens: 9, completionTokens: 0, totalTokens: 9 };

  it('are only the input tokens of embeddings', () => {
    expect(toEndingAttributes({ ...usage, finishReason: 'stop' }, 'embeddings')).toEqual({
      'gen_ai.usage.input_tokens': 9,
    });
  });

  it.each([
    ['stop', 'stop'],
    ['tool_calls', 'tool_calls'],
    ['aborted', 'error'],
  ])('give the finish reason %s as %s', (finishReason, recorded) => {
    expect(toEndingAttributes({ ...usage, finishReason })).toEqual({
      'gen_ai.usage.input_tokens': 9,
      'gen_ai.usage.output_tokens': 0,
      'gen_ai.response.finish_reasons': [recorded],
    });
  });
});
