import type { ModelCall, OpenCall } from '@witan/dialects';
import type { RunTool } from '../tool/tool.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';
import type { Turn } from './turn.ts';

export type TurnDeps = {
  openCall: OpenCall;
  runTool: RunTool;
  toolRoundsMax: number;
  newId: (prefix: string) => string;
};

export type CallParts = Pick<ModelCall, 'proofId' | 'prompt' | 'answerProofId'> &
  Pick<PreparedPrompt, 'grounding'>;

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
