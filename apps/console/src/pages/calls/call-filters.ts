import { readDayRange } from '../../ui/day.ts';
import type { CallFilters } from './calls-query.ts';
import { isPeriod } from './period.ts';

/** Why a call ended, as its certificate says, with what that means. */
export const FINISH = {
  stop: { label: 'Complete', tone: 'good', note: 'The model finished its answer.' },
  tool_calls: { label: 'Tool calls', tone: 'good', note: 'The model asked for tool calls.' },
  length: { label: 'Cut off', tone: 'warn', note: 'The answer reached the limit of tokens.' },
  content_filter: { label: 'Filtered', tone: 'warn', note: 'The provider withheld the answer.' },
  aborted: { label: 'Aborted', tone: 'warn', note: 'The client closed the connection.' },
  error: { label: 'Failed', tone: 'bad', note: 'The provider failed; a fallback may follow.' },
  lost: { label: 'Lost', tone: 'bad', note: 'The request was sent, but no answer was recorded.' },
} as const;

export type Finish = keyof typeof FINISH;

export const FINISHES = Object.keys(FINISH) as Finish[];

const isFinish = (value: unknown): value is Finish =>
  typeof value === 'string' && Object.hasOwn(FINISH, value);

const TEXTS = ['agent', 'provider', 'egressModel', 'keyId'] as const;

/** Reads the filters from an address; ignores other parameters. Days replace a period. */
export const readCallFilters = (search: Record<string, unknown>): CallFilters => {
  const { finishReason, period } = search;
  const texts = TEXTS.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value] as const] : [];
  });
  return {
    ...Object.fromEntries(texts),
    ...(isFinish(finishReason) ? { finishReason } : {}),
    ...(readDayRange(search) ?? (isPeriod(period) ? { period } : {})),
  };
};
