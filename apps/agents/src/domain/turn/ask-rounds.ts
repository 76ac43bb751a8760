import type { Caller, ModelCall, Prompt } from '../model/model-call.ts';
import { ARGUMENTS_LENGTH_MAX } from '../tool/read-arguments.ts';
import type { ToolRequest, ToolRun } from '../tool/tool.ts';
import type { Display } from './open-display.ts';
import type { PreparedPrompt } from './prepare-prompt.ts';
import { runToolCalls } from './run-tool-calls.ts';
import type { CallOutput } from './call-output.ts';
import { toCall } from './to-call.ts';
import type { TurnDeps } from './to-call.ts';
import { cutResults, toToolTurns } from './to-tool-turns.ts';
import type { Turn, TurnPiece } from './turn.ts';

/** All calls of a turn until the model answered; the last one asks for no tool. */
export type Rounds<AnyOutput extends CallOutput> = {
  outputs: AnyOutput[];
  runs: ToolRun[];
  /** As the last call had it. */
  prepared: PreparedPrompt;
};

/** Asks a model once, and shows what there is to show. */
export type Ask<AnyOutput extends CallOutput> = (
  call: ModelCall,
) => AsyncGenerator<TurnPiece, AnyOutput>;

/**
 * Asks until the agent answers without asking for tools (Seed 4.7): each answer that asks for some
 * is a round, their results go into the next prompt, and after the last round the model is offered
 * none and has to answer.
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
    const isForced = round > deps.toolRoundsMax;
    const answer = yield* ask(
      toCall(turn, {
        ...certificateOf(turn, isForced ? undefined : round),
        grounding,
        prompt: isForced ? prompt : withTools(prompt, turn),
      }),
    );
    rounds.outputs.push(answer);
    if (isForced || answer.toolCalls.length === 0) return rounds;
    const asked = nameCalls(answer.toolCalls, round, rounds.runs);
    const bench = {
      agentId: turn.agent.id,
      tools: turn.tools,
      done: rounds.runs,
      isCut: !WHOLE.has(answer.finishReason),
    };
    const served = runToolCalls(asked, bench, caller, deps);
    const runs: ToolRun[] = [];
    for await (const run of served) {
      runs.push(run);
      yield* display.showTool(run);
    }
    rounds.runs.push(...runs);
    const results = cutResults(runs, turn.prepared.resultTokensMax / deps.toolRoundsMax);
    const more = toToolTurns(answer.text, { calls: asked, results }, round === deps.toolRoundsMax);
    rounds.prepared = rounds.prepared.extend(
      more,
      results.map(({ text }) => text),
    );
  }
}

/**
 * While a call may ask for tools, nobody knows whether it is the answer. Its own id is made of the
 * client's, so that a turn that comes a second time is found out before it is paid for.
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

/** How an answer ends of which nothing is missing. */
const WHOLE: ReadonlySet<string> = new Set(['stop', 'tool_calls']);

/** Most of one answer that are heard of; what is beyond is as if it had not been asked for. */
const ASKED_MAX = 64;
/** No tool has a longer name: what is cut here is the name of none. */
const NAME_LENGTH_MAX = 65;
const ID_LENGTH_MAX = 256;

/**
 * Calls as a turn keeps them, each with an id of its own: local runtimes leave ids out, or begin
 * anew with every answer. Of what a model wrote without end a part is kept, which is too long, too.
 */
const nameCalls = (
  calls: CallOutput['toolCalls'],
  round: number,
  done: readonly ToolRun[],
): ToolRequest[] => {
  const accepted = calls.slice(0, ASKED_MAX);
  const given = new Set([...done, ...accepted].map(({ id }) => id));
  const taken = new Set(done.map(({ id }) => id));
  return accepted.map(({ id: own, name, arguments: text }, index) => {
    let id = cut(own, ID_LENGTH_MAX);
    for (let at = index + 1; id === '' || taken.has(id); at += 1) {
      const next = `call_${round}_${at}`;
      if (!given.has(next)) id = next;
    }
    taken.add(id);
    given.add(id);
    return {
      id,
      name: cut(name, NAME_LENGTH_MAX),
      arguments: cut(text, ARGUMENTS_LENGTH_MAX + 1),
      round,
    };
  });
};

const cut = (text: string, length: number): string => text.slice(0, length).toWellFormed();
