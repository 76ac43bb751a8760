import { recordSpan } from '@witan/service-kit';
import type { EndedAttempt } from '../domain/completion/ports.ts';

/**
 * Writes a call of a model into the trace that it was made for, by OpenTelemetry's conventions for
 * generative AI: names that we chose, counts and reasons. The id and the model that stand in an
 * answer are words of whoever wrote it, and stay out.
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
