import type { Answer } from '../src/domain/debate/debate.ts';

/** An answer of an agent that stands there on `i1`, `i2` ...; undefined: it does not say. */
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
