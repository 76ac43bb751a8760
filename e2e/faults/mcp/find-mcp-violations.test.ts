import { describe, expect, it } from '@jest/globals';
import { findTaskViolations, findToolViolations } from './find-mcp-violations.ts';
import type { TaskEvidence, ToolEvidence } from './find-mcp-violations.ts';

const TASK: TaskEvidence = {
  target: 'agents',
  taskId: 'dbt_1',
  retriedId: 'dbt_1',
  ended: { status: 'completed' },
  calls: ['frame', '1 Craft', '1 Craft'],
};
const TOOL: ToolEvidence = { target: 'ledger', ids: ['pf_1'], calls: 1, code: 'result' };

describe('findTaskViolations', () => {
  it('accepts a call in flight that was repeated', () => {
    expect(findTaskViolations(TASK)).toEqual([]);
  });

  it.each<[string, Partial<TaskEvidence>]>([
    ['another task', { retriedId: 'dbt_2' }],
    ['a task without an end', { ended: undefined }],
    ['a failed task', { ended: { status: 'completed', result: { isError: true } as never } }],
    ['a call that was made three times', { calls: ['frame', 'frame', 'frame'] }],
    ['a repeated call of a living process', { target: 'api-gateway' }],
  ])('finds %s', (_name, change) => {
    expect(findTaskViolations({ ...TASK, ...change })).toHaveLength(1);
  });
});

describe('findToolViolations', () => {
  it('accepts one certificate', () => {
    expect(findToolViolations(TOOL)).toEqual([]);
  });

  it.each<[string, Partial<ToolEvidence>]>([
    ['two certificates', { ids: ['pf_1', 'pf_2'] }],
    ['a failed repetition', { code: 'internal_error' }],
    ['a call that was made three times', { calls: 3 }],
    [
      'an undisturbed call without a result',
      { target: undefined, code: 'idempotency_in_progress' },
    ],
  ])('finds %s', (_name, change) => {
    expect(findToolViolations({ ...TOOL, ...change })).toHaveLength(1);
  });
});
