import { recordSpan } from '@witan/service-kit';
import type { EndedAttempt } from '../completion.ts';

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
