import type { RequestSummary } from '../dialect.ts';
import type { JsonObject } from '../json/lenient.ts';
import { asList, asNumber, asObject, asText } from '../json/lenient.ts';

const OUTPUT_LIMITS = ['max_tokens', 'max_completion_tokens'] as const;

const SAMPLING = ['temperature', 'top_p'] as const;

/**
 * Returns the members of a request that relaying needs. Members of a wrong type count as absent;
 * the api-gateway validates them.
 */
export const readRequest = (body: JsonObject): RequestSummary => ({
  model: asText(body.model),
  streamed: body.stream === true,
  wantsUsage: asObject(body.stream_options)?.include_usage === true,
  hasTools: asList(body.tools).length > 0,
  choices: readChoices(body.n),
  samplingNames: SAMPLING.filter((name) => body[name] != null),
  reasoningEffort: asText(body.reasoning_effort),
  outputLimits: Object.fromEntries(
    OUTPUT_LIMITS.flatMap((name) => {
      const tokens = asNumber(body[name]);
      return tokens === undefined ? [] : [[name, tokens]];
    }),
  ),
});

const CHOICES_MAX = 1_000;

const readChoices = (value: unknown): number =>
  typeof value === 'number' && value > 1 ? Math.min(Math.ceil(value), CHOICES_MAX) : 1;
