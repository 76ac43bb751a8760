import type { RoutingSignals } from '@witan/dialects';
import type { TaskType } from '@witan/proof';

/**
 * Only this much of the beginning and of the end of a long request is read, in UTF-16 units: a
 * request states there what it wants. The patterns see client input, so they have no unbounded gap,
 * which would backtrack quadratically.
 */
const READ_LENGTH = 8_000;

const toWholeWordPattern = (...patterns: readonly string[]): RegExp =>
  new RegExp(String.raw`\b(?:${patterns.join('|')})\b`, 'i');

const CODE_MARKS = new RegExp(
  [
    '```',
    String.raw`^[ \t]*(?:import|from|#include|def|class|function|fn|func|public|SELECT)\b` +
      '.{0,200}[({;:]',
    '=>',
    String.raw`\bat \S{1,200}:\d`,
    String.raw`Traceback \(most`,
  ].join('|'),
  'm',
);
const CODE_WORDS = toWholeWordPattern(
  'code|function|method|class|bug|debug|refactor|compile|unit tests?|regex|sql|script|api',
  'stack trace|typescript|javascript|python|java|rust|golang|kubernetes|dockerfile',
);
/**
 * Verbs of coding requests: together with one of them, a single code word suffices to classify a
 * request as code.
 */
const CODE_REQUEST = toWholeWordPattern(
  'write|fix|implement|refactor|debug|review|optimi[sz]e|port|test',
);
const EXTRACTION_WORDS = toWholeWordPattern(
  'extract|parse|classify|categori[sz]e|label|tag|fill (?:in|out)',
  'convert .{0,100} (?:to|into) json',
);
const ANALYSIS_WORDS = toWholeWordPattern(
  'analy[sz]e|analysis|compare|contrast|evaluate|assess|trade-?offs?|pros and cons|strategy',
  'forecast|why does|explain why|derive|prove|plan|research',
  'summari[sz]e .{0,100} (?:report|paper|document)',
);

/**
 * Returns the task type by the first rule that matches. The text rules read only the last user
 * turn, which states what must be done now.
 */
export const classifyTask = (signals: RoutingSignals): TaskType => {
  const { toolCount, hasOpenToolCalls, wantsJson } = signals;
  const text = readEnds(signals.lastUserText);
  if (toolCount > 0 || hasOpenToolCalls) return 'tools';
  if (text === '') return 'other';
  if (wantsJson || EXTRACTION_WORDS.test(text)) return 'extraction';
  if (CODE_MARKS.test(text) || (CODE_WORDS.test(text) && CODE_REQUEST.test(text))) return 'code';
  if (ANALYSIS_WORDS.test(text)) return 'analysis';
  return 'chat';
};

const readEnds = (text: string): string =>
  text.length <= 2 * READ_LENGTH
    ? text
    : `${text.slice(0, READ_LENGTH)}\n${text.slice(-READ_LENGTH)}`;

type Complexity = 'simple' | 'complex' | 'harness' | 'pinned';

/**
 * Minimum length of a system prompt that counts as that of an agent harness, in UTF-16 units;
 * people usually write shorter ones.
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
 * conversation usually began on the full model (rules 2 and 3) and stays there.
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
