import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { ADDRESS_KINDS, FINISH_REASONS, TASK_TYPES } from '@witan/proof';
import { ValidationError } from '../../http/encode-native-error.ts';
import { EXACT_TEXT } from '../../http/text-pattern.ts';
import { readTime } from '../read-time.ts';

const VALUE_LENGTH_MAX = 500;
const value = { type: 'string', maxLength: VALUE_LENGTH_MAX, pattern: EXACT_TEXT } as const;
const time = { type: 'string', maxLength: 40 } as const;

/** Query parameters that select certificates; all that are given must match exactly. */
export const FILTER_QUERY = {
  agent: { ...value, description: 'Slug of the agent' },
  addressKind: { enum: ADDRESS_KINDS },
  model: { ...value, description: 'As requested' },
  provider: value,
  egressModel: { ...value, description: 'The model that ran' },
  keyId: { ...value, description: 'The API key; unknown for calls of earlier releases' },
  finishReason: { enum: FINISH_REASONS },
  taskType: { enum: TASK_TYPES },
  from: { ...time, description: 'First time of issue, RFC 3339' },
  to: { ...time, description: 'Last time of issue, RFC 3339' },
} as const;

/** Why a page of a filtered list may be short: see the description of `nextCursor`. */
export const NEXT_CURSOR = {
  type: 'string',
  description:
    'Present when there is more. A page of a filtered list may be short, or empty, before the last',
} as const;

type FilterQuery = { [K in keyof typeof FILTER_QUERY]?: string };

export const readFilter = (query: Readonly<Record<string, unknown>>) => {
  const { keyId: apiKeyId = '', from, to, ...members } = pickFilter(query);
  const [fromMs, toMs] = [readTime('from', from), readTime('to', to)];
  if (fromMs !== undefined && toMs !== undefined && fromMs > toMs) {
    throw new ValidationError([{ path: 'to', message: 'must not be before from' }]);
  }
  return {
    ...members,
    apiKeyId,
    ...(fromMs === undefined ? {} : { from: timestampFromMs(fromMs) }),
    ...(toMs === undefined ? {} : { to: timestampFromMs(toMs) }),
  };
};

const pickFilter = (query: Readonly<Record<string, unknown>>): FilterQuery =>
  Object.fromEntries(Object.entries(query).filter(([name]) => name in FILTER_QUERY));
