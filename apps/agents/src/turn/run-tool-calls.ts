import { cancelled } from '@witan/contracts';
import { parseExactly } from '@witan/dialects';
import type { Caller } from '@witan/dialects';
import { canonicalJson } from '@witan/proof';
import type { Agent } from '../agent/agent.ts';
import { NO_ARGUMENTS } from '../tool/read-arguments.ts';
import type { RunTool, ToolRequest, ToolRun, TurnTool } from '../tool/tool.ts';

const CALLS_MAX = 16;

type ToolCallContext = {
  agent: Pick<Agent, 'id' | 'slug'>;
  tools: readonly TurnTool[];
  finishedRuns: readonly ToolRun[];
  /** True if the answer was cut off, so that its last tool call may be incomplete. */
  isCut: boolean;
};

/**
 * Runs an answer's tool calls concurrently and yields their results in the requested order. A call
 * that equals another one of this answer, or an earlier successful one of the turn, is not sent
 * again and gets the same result. Rejects if the caller disconnects or the service fails. Ending
 * the iteration aborts the remaining calls.
 */
export async function* runToolCalls(
  requests: readonly ToolRequest[],
  { agent, tools, finishedRuns, isCut }: ToolCallContext,
  { workspaceId, signal }: Caller,
  { runTool }: { runTool: RunTool },
): AsyncGenerator<ToolRun> {
  const aborting = new AbortController();
  const caller = { workspaceId, signal: AbortSignal.any([signal, aborting.signal]) };
  const knownRuns = new Map<string, Promise<ToolRun>>();
  for (const run of finishedRuns) {
    if (run.status === 'ok') knownRuns.set(keyOf(run), Promise.resolve(run));
  }
  const runs = requests.map((request, index) => {
    const tool = tools.find(({ name }) => name === request.name);
    if (!tool) return Promise.resolve(toFailure(request, noSuchTool(request.name, tools)));
    if (index >= CALLS_MAX) {
      const error = `At most ${CALLS_MAX} tools can be called at once; call it again.`;
      return Promise.resolve(toFailure(request, error));
    }
    if (isCut && index === requests.length - 1 && !isCompleteJson(request.arguments)) {
      return Promise.resolve(toFailure(request, CUT_OFF_MESSAGE));
    }
    const key = keyOf(request);
    const earlierRun = knownRuns.get(key);
    if (earlierRun) return earlierRun.then((run) => ({ ...run, ...request, durationMs: 0 }));
    const calledBy = { agentId: agent.id, agentName: agent.slug };
    const run = runTool({ ...tool, ...calledBy }, request, caller);
    knownRuns.set(key, run);
    return run;
  });
  // Prevents unhandled rejections; the errors are thrown below, where the runs are awaited.
  for (const run of runs) run.catch(() => {});
  try {
    for (const run of runs) yield await run;
  } finally {
    aborting.abort(cancelled());
  }
}

const CUT_OFF_MESSAGE =
  'The answer was cut off before the arguments of this call were whole; call it again, with less.';

const isCompleteJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns a key that is equal for calls of the same tool with equivalent JSON arguments; all digits
 * of long numbers are compared.
 */
const keyOf = ({ name, arguments: text }: { name: string; arguments: string }): string => {
  try {
    return `${name} ${canonicalJson(parseExactly(text.trim() === '' ? NO_ARGUMENTS : text))}`;
  } catch {
    // JSON that is invalid or too deep is compared as text.
    return `${name} ${text}`;
  }
};

const noSuchTool = (name: string, tools: readonly TurnTool[]): string =>
  `There is no tool ${JSON.stringify(name.slice(0, 64))}. There are: ` +
  `${tools.map((tool) => tool.name).join(', ')}.`;

const toFailure = (request: ToolRequest, error: string): ToolRun => ({
  ...request,
  toolId: '',
  status: 'error',
  httpStatus: null,
  durationMs: 0,
  result: null,
  error,
});
