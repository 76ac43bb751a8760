import type { RecordedCall } from './open-recorder.ts';
import type { CallKind } from './kind-of.ts';

/** Longest prompt of each kind of call in recorded runs, in tokens, by model. */
export type Budgets = Readonly<Record<string, Partial<Record<CallKind, number>>>>;

export type CallSummary = {
  calls: number;
  repairs: number;
  formats: string[];
  /** Means of first calls. */
  promptTokens: number;
  completionTokens: number;
  durationMs: number;
};

export type Summaries = Partial<Record<CallKind, CallSummary>>;

/** Lowest share of first answers in JSON that need no repair. */
const READABLE_MIN = 0.95;
/** Number of first answers from which on the share is judged. */
const ANSWERS_MIN = 20;
const BUDGET_TOLERANCE = 0.05;

export const summarize = (calls: readonly RecordedCall[]): Summaries => {
  const answered = calls.filter(({ status }) => status === 200);
  const groups = Object.groupBy(answered, ({ kind }) => kind);
  return Object.fromEntries(
    Object.entries(groups).map(([kind, group]) => [kind, summarizeKind(group)]),
  );
};

const summarizeKind = (calls: readonly RecordedCall[]): CallSummary => {
  const first = calls.filter(({ isRepair }) => !isRepair);
  const mean = (read: (call: RecordedCall) => number): number =>
    Math.round(first.reduce((sum, call) => sum + read(call), 0) / Math.max(1, first.length));
  return {
    calls: calls.length,
    repairs: calls.length - first.length,
    formats: [...new Set(calls.map(({ format }) => format))],
    promptTokens: mean(({ promptTokens }) => promptTokens),
    completionTokens: mean(({ completionTokens }) => completionTokens),
    durationMs: mean(({ durationMs }) => durationMs),
  };
};

/**
 * Returns what the calls violate: too many answers in JSON that needed a repair, calls in JSON
 * without a schema, and prompts that are longer than their budget.
 */
export const findViolations = (
  summaries: Summaries,
  budgets: Partial<Record<CallKind, number>>,
): string[] => {
  const kinds = Object.entries(summaries) as [CallKind, CallSummary][];
  const own = kinds.filter(([kind]) => kind !== 'chat' && kind !== 'summary');
  const calls = own.reduce((sum, [, { calls: count, repairs }]) => sum + count - repairs, 0);
  const repairs = own.reduce((sum, [, summary]) => sum + summary.repairs, 0);
  const share = 1 - repairs / Math.max(1, calls);
  const isUnreadable = calls >= ANSWERS_MIN && share < READABLE_MIN;
  return [
    ...(isUnreadable ? [`${Math.round(share * 100)} % of first answers needed no repair`] : []),
    ...own
      .filter(([, { formats }]) => formats.some((format) => format !== 'json_schema'))
      .map(([kind, { formats }]) => `${kind} was sent as ${formats.join(', ')}`),
    ...kinds.flatMap(([kind, { promptTokens }]) => {
      const budget = budgets[kind];
      const isOver = budget !== undefined && promptTokens > budget * (1 + BUDGET_TOLERANCE);
      return isOver ? [`${kind} has ${promptTokens} prompt tokens, more than ${budget}`] : [];
    }),
  ];
};
