import { isCutOff } from '@witan/dialects';
import type { Caller } from '@witan/dialects';
import { filterMemoryTags, toGlobalWrites } from '../memory/tags/filter-memory-tags.ts';
import type { FilteredMemories } from '../memory/tags/filter-memory-tags.ts';
import type { MayShareMemories } from '../memory/memory-store.ts';
import { emptyAnswer, toRetryPrompt } from '../completion/to-retry-prompt.ts';
import { askRounds, toOutcome } from './ask-rounds.ts';
import type { Ask, Rounds } from './ask-rounds.ts';
import { ANSWER_ONLY_RULE } from './describe-rules.ts';
import { openDisplay } from './open-display.ts';
import { relayText } from './relay-text.ts';
import type { TextOutput } from './relay-text.ts';
import { runJsonTurn } from './run-json-turn.ts';
import { toCall } from './turn.ts';
import type { TurnDeps } from './turn.ts';
import type { Turn, TurnOutcome, TurnPiece } from './turn.ts';

export type Sharing = {
  isGatewayCall: boolean;
  /**
   * Resolves with true if agents of the workspace may write global memories; called only if a tag
   * requests one.
   */
  mayShareMemories: MayShareMemories;
};

/**
 * Runs a turn and yields the answer, without thoughts and memory tags, as it arrives; a JSON answer
 * is yielded as a whole. The certificate of the final call commits to exactly the text of the
 * yielded deltas.
 */
export async function* runTurn(
  turn: Turn,
  sharing: Sharing,
  caller: Caller,
  deps: TurnDeps,
): AsyncGenerator<TurnPiece, TurnOutcome> {
  if (turn.options.json) return yield* runJsonTurn(turn, caller, deps);
  const display = openDisplay(turn);
  const ask: Ask<TextOutput> = (call) => relayText(call, { ...turn, display }, caller, deps);
  const rounds = yield* askRounds(turn, { ask, display }, caller, deps);
  const answer = rounds.outputs.at(-1)!;
  if (isEmpty(answer)) {
    const { prompt, grounding } = rounds.prepared;
    const isCut = isCutOff(answer.finishReason);
    const retry = toCall(turn, {
      proofId: deps.newId('pf'),
      grounding,
      prompt: toRetryPrompt(prompt, { raw: '', instruction: ANSWER_ONLY_RULE, isCut }),
    });
    rounds.outputs.push(yield* ask(retry));
  }
  const last = rounds.outputs.at(-1)!;
  if (isEmpty(last)) throw emptyAnswer(last.proofId);
  return {
    ...toOutcome(rounds),
    content: display.content(),
    object: undefined,
    memories: await filterTags(rounds, { ...sharing, isLocalOnly: turn.isSensitive }, caller),
  };
}

const isEmpty = ({ text }: TextOutput): boolean => text.trim() === '';

const filterTags = async (
  { outputs, prepared }: Rounds<TextOutput>,
  { isGatewayCall, mayShareMemories, isLocalOnly }: Sharing & { isLocalOnly: boolean },
  { workspaceId }: Caller,
): Promise<FilteredMemories> => {
  const { untrustedTexts } = prepared;
  // A gateway turn is tainted, because its history comes from the caller.
  const isTainted = prepared.isTainted || isGatewayCall;
  const tags = [
    ...new Map(outputs.flatMap((output) => output.tags.map((tag) => [tag.keyNorm, tag]))).values(),
  ];
  const wantsToShare = tags.some(({ isGlobal }) => isGlobal);
  const workspaceSharesMemories = !wantsToShare || (await mayShareMemories(workspaceId));
  const filtered = filterMemoryTags(tags, {
    untrustedTexts,
    globalWrites: toGlobalWrites({ isGatewayCall, isTainted, workspaceSharesMemories }),
    isLocalOnly,
    isTainted,
  });
  const unparsed = outputs.flatMap(({ rejected }) => rejected);
  return { ...filtered, rejected: [...unparsed, ...filtered.rejected] };
};
