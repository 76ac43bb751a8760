import { addUsage, NO_USAGE } from './add-usage.ts';
import { callsOf } from '../model/calls-of.ts';
import type { Rounds } from './ask-rounds.ts';
import { joinThoughts } from './relay-text.ts';
import type { Said } from './said.ts';
import type { TurnOutcome } from './turn.ts';

/** What every kind of turn ends in, besides its answer. */
export const toOutcome = ({
  said,
  runs,
  prepared,
}: Rounds<Said>): Omit<TurnOutcome, 'content' | 'object' | 'memories'> => ({
  thoughts: joinThoughts(said.map(({ thoughts }) => thoughts)),
  toolRuns: runs,
  finishReason: said.at(-1)!.finishReason,
  firstPromptTokens: said[0]!.usage.promptTokens,
  usage: said.map(callsOf).reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
  proofIds: said.map(callsOf).flatMap(({ proofIds }) => proofIds),
  isTainted: prepared.isTainted,
});
