import type { Answer } from '../src/debate/debate.ts';

/**
 * Returns an answer with the given stances on the issues `i1`, `i2` and so on; undefined omits the
 * stance on that issue.
 */
export const answerOf = (
  agentId: string,
  stances: readonly (number | undefined)[],
  change: Partial<Answer> = {},
): Answer => ({
  agentId,
  agentName: agentId,
  content: '',
  position: '',
  stances: stances.flatMap((stance, index) =>
    stance === undefined ? [] : [{ issueId: `i${index + 1}`, stance, confidence: 1 }],
  ),
  keyPoints: [],
  changedMind: false,
  changeReason: '',
  wouldChangeMind: '',
  levers: {},
  isStale: false,
  proofIds: [],
  usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
  ...change,
});
