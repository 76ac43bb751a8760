import type { ToolResult } from '../../mcp/mcp-caller.ts';

type Plan = { target: string | undefined };

/** Processes whose death cannot lose a model call that is in flight. */
const APART = new Set<string | undefined>([undefined, 'api-gateway', 'nats']);

export type TaskEvidence = Plan & {
  taskId: string;
  /** Id of the task that the repeated start returned. */
  retriedId: string | undefined;
  ended: { status: string; result?: ToolResult } | undefined;
  /** Keys of the model calls that the provider received. */
  calls: readonly string[];
};

/**
 * Returns violations of a task: another task for the same key, no result, and model calls that were
 * repeated although the killed process did not make them, or more than once.
 */
export const findTaskViolations = ({
  target,
  taskId,
  retriedId,
  ended,
  calls,
}: TaskEvidence): string[] => {
  const limit = APART.has(target) ? 1 : 2;
  const counts = Map.groupBy(calls, (key) => key);
  return [
    ...(retriedId === taskId ? [] : [`the repeated start returned ${retriedId}, not ${taskId}`]),
    ...(ended?.status === 'completed' && ended.result?.isError !== true
      ? []
      : [`the task ended as ${ended?.status ?? 'nothing'}`]),
    ...[...counts]
      .filter(([, made]) => made.length > limit)
      .map(([key, made]) => `${key}: called ${made.length} times, not ${limit}`),
  ];
};

export type ToolEvidence = Plan & {
  /** Certificates of all results that the client got. */
  ids: readonly string[];
  calls: number;
  /** Error code of the repeated call, or `result`. */
  code: string;
};

/** Outcomes of a repeated call after which nothing is paid again. */
const FINAL = new Set(['result', 'idempotency_in_progress', 'idempotency_answer_lost']);

/**
 * Returns violations of a tool call: results with different certificates, a repeated call that
 * failed, and a model call that was made again although the killed process did not make it.
 */
export const findToolViolations = ({ target, ids, calls, code }: ToolEvidence): string[] => {
  const limit = APART.has(target) ? 1 : 2;
  return [
    ...(ids.length > 1 ? [`results name ${ids.length} certificates`] : []),
    ...(FINAL.has(code) ? [] : [`the repeated call failed with ${code}`]),
    ...(calls > limit ? [`the model was called ${calls} times, not ${limit}`] : []),
    ...(target === undefined && code !== 'result' ? ['nothing was disturbed'] : []),
  ];
};
