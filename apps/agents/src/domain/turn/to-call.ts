import type { ModelCall, OpenCall } from '../model/model-call.ts';
import type { RunTool } from '../tool/tool.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';
import type { Turn } from './turn.ts';

export type TurnDeps = {
  openCall: OpenCall;
  runTool: RunTool;
  /** Rounds of tool calls before the model is offered no more tools. */
  toolRoundsMax: number;
  newId: (prefix: string) => string;
};

/** The parts of a ModelCall that differ between calls of a turn. */
export type CallParts = Pick<ModelCall, 'proofId' | 'prompt' | 'answerProofId'> &
  Pick<PreparedPrompt, 'grounding'>;

/** Returns a model call of a turn, to be certified as the agent's. */
export const toCall = (
  { agent, requested, isSensitive, wantsKnowledge, requestSha256 }: Turn,
  parts: CallParts,
): ModelCall => ({
  ...parts,
  requestSha256,
  purpose: 'chat',
  address: {
    requested,
    kind: 'agent',
    agent: agent.slug,
    model: agent.model,
    sensitive: isSensitive,
    knowledge: wantsKnowledge ?? false,
  },
});
