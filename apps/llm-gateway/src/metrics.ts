import { recordSpan } from '@witan/service-kit';
import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { AttemptRecord, EndedAttempt } from './completion/completion.ts';

export type Metrics = {
  onAttempt: (record: AttemptRecord) => void;
  onEnded: (ended: EndedAttempt) => void;
};

/**
 * Creates the metrics. Providers in `operator` are labelled with their own name; all others share
 * the label value `workspace`.
 */
export const createMetrics = (registry: Registry, operator: ReadonlySet<string>): Metrics => {
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
  const labelOf = (provider: string): string => (operator.has(provider) ? provider : 'workspace');
  return {
    onEnded: (ended) => recordEnd(labelOf(ended.provider), ended),
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
  const seconds = new Histogram({
    name: 'llm_gateway_call_seconds',
    help: 'Time from sending a call to the last byte of its answer, in seconds.',
    labelNames: ['provider'] as const,
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const tokens = new Counter({
    name: 'llm_gateway_tokens_total',
    help: 'Tokens used by calls, as certified, by direction: input or output.',
    labelNames: ['provider', 'direction'] as const,
    registers,
  });
  const masked = new Counter({
    name: 'llm_gateway_masked_items_total',
    help: 'Personal data spans that were replaced by placeholders.',
    labelNames: ['provider'] as const,
    registers,
  });
  return (provider, { ending, durationMs, masked: items }) => {
    calls.inc({ provider, finish_reason: ending?.finishReason ?? 'unsent' });
    if (!ending) return;
    seconds.observe({ provider }, durationMs / 1_000);
    tokens.inc({ provider, direction: 'input' }, ending.promptTokens);
    tokens.inc({ provider, direction: 'output' }, ending.completionTokens);
    masked.inc({ provider }, items);
  };
};

/**
 * Adds a model call to its trace, with the attributes of OpenTelemetry's conventions for generative
 * AI. Records only counts, reasons and names known to this service, because the id and model in a
 * response are text of the provider.
 */
export const recordCall = (call: EndedAttempt): void => {
  const { provider, model, agent, status, masked, durationMs, ending, failure } = call;
  recordSpan({
    name: `chat ${model}`,
    role: 'client',
    durationMs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
      'witan.masked': masked,
      ...(agent ? { 'gen_ai.agent.name': agent } : {}),
      ...(status ? { 'http.response.status_code': status } : {}),
      ...(ending
        ? {
            'gen_ai.usage.input_tokens': ending.promptTokens,
            'gen_ai.usage.output_tokens': ending.completionTokens,
            'gen_ai.response.finish_reasons': [ending.finishReason],
          }
        : {}),
    },
    ...(failure ? { errorType: failure } : {}),
  });
};
