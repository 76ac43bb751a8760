import type { ModelCall, OpenCall } from '../model/model-call.ts';
import type { RunTool } from '../tool/tool.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';
import type { Turn } from './turn.ts';

export type TurnDeps = {
  openCall: OpenCall;
  runTool: RunTool;
  /** Answers of a turn that may ask for tools; then one is forced that may not. */
  toolRoundsMax: number;
  newId: (prefix: string) => string;
};

/** Of the prompt, and the certificate's ids as a ModelCall has them. */
export type CallParts = Pick<ModelCall, 'proofId' | 'prompt' | 'answerProofId'> &
  Pick<PreparedPrompt, 'grounding'>;

/** A model call of a turn: certified as the agent's. */
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
