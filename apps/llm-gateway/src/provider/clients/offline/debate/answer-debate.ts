import { readAnswerLimits } from '../cut-answer.ts';
import { estimateTokens } from '../estimate-tokens.ts';
import { answerAsMember } from './answer-as-member.ts';
import { frameQuestion } from './frame-question.ts';
import { type DebateCall, recogniseDebate } from './recognise-debate.ts';
import { writeSynthesis } from './write-synthesis.ts';

/**
 * Returns the JSON text for a call of a debate: the propositions of a question, a member's stances,
 * or the synthesis; undefined for any other request. Content is reduced to fit the token limit,
 * because truncated JSON is useless.
 */
export function answerDebate(request: unknown): string | undefined {
  const call = recogniseDebate(request);
  if (call === undefined) return undefined;
  const { maxTokens } = readAnswerLimits(request);
  const drafts = draft(call).map((object) => JSON.stringify(object));
  return drafts.find((text) => estimateTokens(text) <= maxTokens) ?? drafts.at(-1);
}

function draft(call: DebateCall): Record<string, unknown>[] {
  if (call.kind === 'synthesis') return [writeSynthesis(call.table)];
  if (call.kind === 'answer') return [5, 3, 1].map((points) => answerAsMember(call, points));
  const issues = frameQuestion(call.question);
  const lengths = Array.from({ length: Math.max(1, issues.length) }, (_, index) => index);
  return lengths.map((fewer) => ({ issues: issues.slice(0, issues.length - fewer) }));
}
