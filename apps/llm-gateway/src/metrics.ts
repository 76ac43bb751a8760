import { recordSpan } from '@witan/service-kit';
import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { AttemptRecord, EndedAttempt } from './completion/completion.ts';

export type Metrics = {
  onAttempt: (record: AttemptRecord) => void;
  onEnded: (ended: EndedAttempt) => void;
};

/** The values of the labels for providers and models; the number of all others is unbounded. */
type Operated = { providers: ReadonlySet<string>; models: ReadonlySet<string> };

/**
 * Creates the metrics. Providers of workspaces share the label value `workspace`, and their models,
 * as those that only clients name, the value `other`.
 */
export const createMetrics = (registry: Registry, { providers, models }: Operated): Metrics => {
  const attempts = new Counter({
    name: 'llm_gateway_attempts_total',
    help: 'Calls to model providers, by provider, attempt and outcome.',
    labelNames: ['provider', 'attempt', 'outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'llm_gateway_first_byte_seconds',
    help: 'Time until a provider responded with a status, in seconds.',
    labelNames: ['provider'] as const,
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  const recordEnd = createEndMetrics(registry);
  const recordInference = createInferenceMetrics(registry);
  const labelOf = (provider: string): string => (providers.has(provider) ? provider : 'workspace');
  return {
    onEnded: (ended) => {
      const provider = labelOf(ended.provider);
      const isOperated = provider === ended.provider && models.has(ended.model);
      recordEnd(provider, ended);
      recordInference({ ...ended, provider, model: isOperated ? ended.model : 'other' });
    },
    onAttempt: ({ provider, attempt, outcome, status, durationMs }) => {
      const label = labelOf(provider);
      const result = status === 0 ? outcome.toLowerCase() : `${Math.floor(status / 100)}xx`;
      attempts.inc({ provider: label, attempt: String(attempt), outcome: result });
      if (status !== 0) seconds.observe({ provider: label }, durationMs / 1_000);
    },
  };
};

const createEndMetrics = (
  registry: Registry,
): ((provider: string, ended: EndedAttempt) => void) => {
  const registers = [registry];
  const calls = new Counter({
    name: 'llm_gateway_calls_ended_total',
    help: 'Finished model calls by finish reason; unsent if no bytes were sent.',
    labelNames: ['provider', 'finish_reason'] as const,
    registers,
  });
  const masked = new Counter({
    name: 'llm_gateway_masked_items_total',
    help: 'Personal data spans that were replaced by placeholders.',
    labelNames: ['provider'] as const,
    registers,
  });
  return (provider, { ending, masked: items }) => {
    calls.inc({ provider, finish_reason: ending?.finishReason ?? 'unsent' });
    if (ending) masked.inc({ provider }, items);
  };
};

const INFERENCE_LABELS = [
  'gen_ai_operation_name',
  'gen_ai_provider_name',
  'gen_ai_request_model',
] as const;

/**
 * Creates the metrics of OpenTelemetry's conventions for generative AI, under the names that
 * Prometheus gives them (docs/telemetry.md#generative-ai).
 */
const createInferenceMetrics = (registry: Registry): ((ended: EndedAttempt) => void) => {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'gen_ai_client_inference_duration_seconds',
    help: 'Time from sending a model call to the last byte of its answer or its failure.',
    labelNames: [...INFERENCE_LABELS, 'error_type'] as const,
    // The boundaries of the conventions.
    buckets: Array.from({ length: 14 }, (_all, index) => 2 ** index / 100),
    registers,
  });
  const createTokens = (name: string, help: string) =>
    new Counter({
      name: `gen_ai_client_inference_usage_${name}_total`,
      help,
      labelNames: [...INFERENCE_LABELS, 'gen_ai_token_modality'] as const,
      registers,
    });
  const tokens: Record<keyof typeof USAGE_ATTRIBUTES, ReturnType<typeof createTokens>> = {
    promptTokens: createTokens('input_tokens', 'Tokens of prompts, including cached ones.'),
    completionTokens: createTokens('output_tokens', 'Tokens of answers, including reasoning.'),
    cachedTokens: createTokens('cache_read_input_tokens', 'Tokens of prompts read from a cache.'),
    cacheWriteTokens: createTokens(
      'cache_write_input_tokens',
      'Tokens of prompts written to a cache.',
    ),
    reasoningTokens: createTokens('reasoning_output_tokens', 'Tokens of answers for reasoning.'),
  };
  return ({ operation, provider, model, durationMs, ending, failure }) => {
    const labels = {
      gen_ai_operation_name: operation,
      gen_ai_provider_name: provider,
      gen_ai_request_model: model,
    };
    seconds.observe({ ...labels, ...(failure ? { error_type: failure } : {}) }, durationMs / 1_000);
    if (!ending) return;
    for (const [count, counter] of Object.entries(tokens)) {
      const value = ending[count as keyof typeof tokens];
      // Providers do not report what kinds of content the tokens are.
      if (value !== undefined) counter.inc({ ...labels, gen_ai_token_modality: 'unknown' }, value);
    }
  };
};

/**
 * Adds a model call to its trace, with the attributes of OpenTelemetry's conventions for generative
 * AI. Records only counts, reasons and names known to this service, because the id and model in a
 * response are text of the provider.
 */
export const recordCall = (call: EndedAttempt): void => {
  const { operation, provider, model, status, durationMs, ending, failure } = call;
  const { agent, masked, isStreamed } = call;
  recordSpan({
    name: `${operation} ${model}`,
    role: 'client',
    durationMs,
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'witan.masked': masked,
      ...(isStreamed ? { 'gen_ai.request.stream': true } : {}),
      ...(agent ? { 'gen_ai.agent.name': agent } : {}),
      ...(status ? { 'http.response.status_code': status } : {}),
      ...(ending ? toEndingAttributes(ending, operation) : {}),
    },
    ...(failure ? { errorType: failure } : {}),
  });
};

const USAGE_ATTRIBUTES = {
  promptTokens: 'gen_ai.usage.input_tokens',
  completionTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_write.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
} as const;

/**
 * Returns the attributes of a span for the tokens and the finish reason of a call. The conventions
 * know only the input tokens of embeddings.
 */
export const toEndingAttributes = (
  ending: NonNullable<EndedAttempt['ending']>,
  operation: EndedAttempt['operation'] = 'chat',
): Record<string, number | string[]> => {
  if (operation === 'embeddings') return { [USAGE_ATTRIBUTES.promptTokens]: ending.promptTokens };
  const counts = Object.entries(USAGE_ATTRIBUTES).flatMap(([count, name]) => {
    const value = ending[count as keyof typeof USAGE_ATTRIBUTES];
    return value === undefined ? [] : [[name, value] as const];
  });
  // The conventions know only `error` for an answer that was not finished.
  const reason = ending.finishReason === 'aborted' ? 'error' : ending.finishReason;
  return { ...Object.fromEntries(counts), 'gen_ai.response.finish_reasons': [reason] };
};
