import type { RoutingSignals } from '@witan/dialects';
import type { TaskType } from '@witan/proof';

export type Complexity = 'simple' | 'complex' | 'harness' | 'pinned';

/**
 * Minimum length of a system prompt that counts as that of an agent harness, in UTF-16 units;
 * people write shorter ones.
 */
const HARNESS_SYSTEM_LENGTH = 6_000;
const HARNESS_TOOLS = 4;
const LONG_REQUEST_LENGTH = 1_200;
const LONG_PROMPT_LENGTH = 12_000;
const LONG_CONVERSATION_TURNS = 12;
const DEMANDING_TASKS: ReadonlySet<TaskType> = new Set(['code', 'analysis', 'tools']);

/**
 * Applies the rules in this order:
 * 1. `pinned`: the call carries signed reasoning or the results of open tool calls. Such a
 * conversation began on the full model (rules 2 and 3) and stays there.
 * 2. `harness`: many tools or a large system prompt, which agent harnesses send.
 * 3. `complex`: reasoning is requested, the task is demanding, or the prompt is long.
 * 4. `simple`: everything else.
 */
export const judgeComplexity = (signals: RoutingSignals, task: TaskType): Complexity => {
  if (signals.hasSignedReasoning || signals.hasOpenToolCalls) return 'pinned';
  const { systemText, toolCount } = signals;
  if (toolCount >= HARNESS_TOOLS || systemText.length >= HARNESS_SYSTEM_LENGTH) return 'harness';
  const isDemanding = DEMANDING_TASKS.has(task) || signals.wantsReasoning;
  const isLong =
    signals.lastUserText.length >= LONG_REQUEST_LENGTH ||
    signals.promptLength >= LONG_PROMPT_LENGTH ||
    signals.userTurns >= LONG_CONVERSATION_TURNS;
  return isDemanding || isLong ? 'complex' : 'simple';
};
