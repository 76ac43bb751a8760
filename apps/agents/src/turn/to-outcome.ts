import { addUsage, NO_USAGE } from '../completion/add-usage.ts';
import { collectCalls } from '../completion/collect-calls.ts';
import type { Rounds } from './ask-rounds.ts';
import { joinThoughts } from './relay-text.ts';
import type { CallOutput } from './call-output.ts';
import type { TurnOutcome } from './turn.ts';

export const toOutcome = ({
  outputs,
  runs,
  prepared,
}: Rounds<CallOutput>): Omit<TurnOutcome, 'content' | 'object' | 'memories'> => ({
  thoughts: joinThoughts(outputs.map(({ thoughts }) => thoughts)),
  toolRuns: runs,
  finishReason: outputs.at(-1)!.finishReason,
  firstPromptTokens: outputs[0]!.usage.promptTokens,
  usage: outputs.map(collectCalls).reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
  proofIds: outputs.map(collectCalls).flatMap(({ proofIds }) => proofIds),
  isTainted: prepared.isTainted,
});
