import type { RequestSummary } from '../dialect.ts';
import type { JsonObject } from '../json/lenient.ts';
import { asList, asNumber, asObject, asText } from '../json/lenient.ts';

const SAMPLING = ['temperature', 'top_p', 'top_k'] as const;

export const readRequest = (body: JsonObject): RequestSummary => {
  const limit = asNumber(body.max_tokens);
  const thinking = asObject(body.thinking);
  const budget = thinking?.type === 'enabled' ? asNumber(thinking.budget_tokens) : undefined;
  return {
    model: asText(body.model),
    streamed: body.stream === true,
    wantsUsage: true,
    hasTools: asList(body.tools).length > 0,
    choices: 1,
    samplingNames: SAMPLING.filter((name) => body[name] != null),
    reasoningEffort: asText(asObject(body.output_config)?.effort),
    outputLimits: limit === undefined ? {} : { max_tokens: limit },
    ...(budget === undefined ? {} : { thinkingBudget: budget }),
  };
};
