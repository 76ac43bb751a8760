import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest } from '@witan/contracts';
import type { SamplingSchema } from '@witan/contracts';
import type { JsonObject } from '../json/lenient.ts';
import {
  expectCount,
  expectNumber,
  expectList,
  expectOptionalText,
  expectNonEmpty,
  isAbsent,
} from '../json/expect-json.ts';

type SamplingInit = MessageInitShape<typeof SamplingSchema>;

/**
 * Names of the sampling parameters. `top_k` is not an OpenAI field, but local runtimes accept it.
 */
export const SAMPLING_MEMBERS = [
  'frequency_penalty',
  'max_completion_tokens',
  'max_tokens',
  'presence_penalty',
  'reasoning_effort',
  'seed',
  'stop',
  'temperature',
  'top_k',
  'top_p',
  'user',
] as const;

const MAX_UINT32 = 2 ** 32 - 1;

export const decodeSampling = (body: JsonObject): SamplingInit | undefined => {
  if (SAMPLING_MEMBERS.every((name) => isAbsent(body[name]))) return undefined;
  return {
    maxOutputTokens: decodeLimit(body),
    temperature: expectNumber(body.temperature, 'temperature'),
    topP: expectNumber(body.top_p, 'top_p'),
    topK: expectCount(body.top_k, 'top_k'),
    stop: decodeStop(body.stop),
    seed: decodeSeed(body.seed),
    presencePenalty: expectNumber(body.presence_penalty, 'presence_penalty'),
    frequencyPenalty: expectNumber(body.frequency_penalty, 'frequency_penalty'),
    reasoningEffort: expectOptionalText(body.reasoning_effort, 'reasoning_effort'),
    user: expectOptionalText(body.user, 'user'),
  };
};

const decodeLimit = (body: JsonObject): number | undefined => {
  const legacyLimit = expectCount(body.max_tokens, 'max_tokens');
  const limit = expectCount(body.max_completion_tokens, 'max_completion_tokens');
  if (legacyLimit === undefined && limit === undefined) return undefined;
  return Math.min(legacyLimit ?? MAX_UINT32, limit ?? MAX_UINT32, MAX_UINT32);
};

const decodeStop = (value: unknown): string[] => {
  if (isAbsent(value)) return [];
  if (typeof value === 'string') return [value];
  return expectList(value, 'stop').map((sequence, index) =>
    expectNonEmpty(sequence, `stop[${index}]`),
  );
};

const decodeSeed = (value: unknown): bigint | undefined => {
  const seed = expectNumber(value, 'seed');
  if (seed === undefined) return undefined;
  if (Number.isSafeInteger(seed)) return BigInt(seed);
  throw invalidRequest('seed: must be a whole number below 2^53.', { param: 'seed' });
};
