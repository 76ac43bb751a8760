import { addUsage, NO_USAGE, collectCalls } from '@witan/dialects';
import type { Caller, ModelCall, Prompt } from '@witan/dialects';
import { ARGUMENTS_LENGTH_MAX } from '../tool/read-arguments.ts';
import type { ToolRequest, ToolRun } from '../tool/tool.ts';
import type { Display } from './open-display.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';
import { runToolCalls } from './run-tool-calls.ts';
import type { CallOutput, Turn, TurnPiece, TurnOutcome } from './turn.ts';
import { toCall } from './turn.ts';
import type { TurnDeps } from './turn.ts';
import { truncateResults, toToolTurns } from './to-tool-turns.ts';
import { joinThoughts } from './relay-text.ts';

/**
 * Outputs of all model calls of a turn and results of its tool calls; the last output is the
 * answer.
 */
export type Rounds<AnyOutput extends CallOutput> = {
  outputs: AnyOutput[];
  runs: ToolRun[];
  prepared: PreparedPrompt;
};

export type Ask<AnyOutput extends CallOutput> = (
  call: ModelCall,
) => AsyncGenerator<TurnPiece, AnyOutput>;

/**
 * Calls the model until it answers without requesting tools. The results of each round of tool
 * calls are added to the next prompt. After the last round no tools are offered, which forces an
 * answer.
 */
export async function* askRounds<AnyOutput extends CallOutput>(
  turn: Turn,
  { ask, display }: { ask: Ask<AnyOutput>; display: Display },
  caller: Caller,
  deps: TurnDeps,
): AsyncGenerator<TurnPiece, Rounds<AnyOutput>> {
  const rounds: Rounds<AnyOutput> = { outputs: [], runs: [], prepared: turn.prepared };
  for (let round = 1; ; round += 1) {
    const { grounding, prompt } = rounds.prepared;
    // Calls that were written as text ended with the certificate of the answer, so that no further
    // call can have that id, and none may request tools.
    const hasWrittenCalls = rounds.outputs.at(-1)?.wroteCalls === true;
    const isForced = round > deps.toolRoundsMax || hasWrittenCalls;
    const ids = hasWrittenCalls
      ? { proofId: deps.newId('pf') }
      : certificateOf(turn, isForced ? undefined : round);
    const answer = yield* ask(
      toCall(turn, {
        ...ids,
        grounding,
        prompt: isForced ? prompt : withTools(prompt, turn),
      }),
    );
    rounds.outputs.push(answer);
    if (isForced || answer.toolCalls.length === 0) return rounds;
    const requests = assignCallIds(answer.toolCalls, round, rounds.runs);
    const context = {
      agent: turn.agent,
      tools: turn.tools,
      finishedRuns: rounds.runs,
      isCut: !COMPLETE_FINISH_REASONS.has(answer.finishReason),
    };
    const toolRuns = runToolCalls(requests, context, caller, deps);
    const runs: ToolRun[] = [];
    for await (const run of toolRuns) {
      runs.push(run);
      yield* display.showTool(run);
    }
    rounds.runs.push(...runs);
    const results = truncateResults(runs, turn.prepared.resultTokensMax / deps.toolRoundsMax);
    const newTurns = toToolTurns(
      answer.text,
      { calls: requests, results },
      round === deps.toolRoundsMax || answer.wroteCalls === true,
    );
    rounds.prepared = rounds.prepared.extend(
      newTurns,
      results.map(({ text }) => text),
    );
  }
}

/**
 * Returns the certificate ids of a call. A call with tools gets two, because it is not known in
 * advance whether it requests tools or gives the final answer. They derive from the turn's
 * `proofId`, so that a turn that is sent twice is detected before it is paid for.
 */
const certificateOf = (
  { tools, proofId }: Turn,
  round: number | undefined,
): Pick<ModelCall, 'proofId' | 'answerProofId'> =>
  tools.length === 0 || round === undefined
    ? { proofId }
    : { proofId: `${proofId}t${round}`, answerProofId: proofId };

const withTools = (prompt: Prompt, { tools }: Turn): Prompt =>
  tools.length === 0
    ? prompt
    : {
        ...prompt,
        tools: tools.map(({ name, description, parameters }) => ({
          name,
          description,
          parameters,
        })),
      };

const COMPLETE_FINISH_REASONS: ReadonlySet<string> = new Set(['stop', 'tool_calls']);

const REQUESTS_MAX = 64;
/**
 * One more than the maximum length of a tool name, so that a truncated name never matches a tool.
 */
const NAME_LENGTH_MAX = 65;
const ID_LENGTH_MAX = 256;

/**
 * Returns at most `REQUESTS_MAX` of the requested tool calls, with unique ids, because local
 * runtimes can omit ids or repeat them in every answer. Names and arguments are truncated to a
 * length that is still rejected as too long.
 */
const assignCallIds = (
  calls: CallOutput['toolCalls'],
  round: number,
  done: readonly ToolRun[],
): ToolRequest[] => {
  const accepted = calls.slice(0, REQUESTS_MAX);
  const answeredCallIds = new Set([...done, ...accepted].map(({ id }) => id));
  const doneCallIds = new Set(done.map(({ id }) => id));
  return accepted.map(({ id: modelId, name, arguments: text }, index) => {
    let id = truncate(modelId, ID_LENGTH_MAX);
    for (let number = index + 1; id === '' || doneCallIds.has(id); number += 1) {
      const newCallId = `call_${round}_${number}`;
      if (!answeredCallIds.has(newCallId)) id = newCallId;
    }
    doneCallIds.add(id);
    answeredCallIds.add(id);
    return {
      id,
      name: truncate(name, NAME_LENGTH_MAX),
      arguments: truncate(text, ARGUMENTS_LENGTH_MAX + 1),
      round,
    };
  });
};

const truncate = (text: string, length: number): string => text.slice(0, length).toWellFormed();

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
