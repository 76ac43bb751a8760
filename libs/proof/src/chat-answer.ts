import type { AnswerChoice, AnswerGatherer, ReportedUsage } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import { asCount, asList, asMembers, asString, utf8Length } from './lenient.ts';
import { toReportedUsage } from './answer.ts';
import { createToolCalls, ENTRY_BYTES } from './tool-calls.ts';
import type { ToolCalls } from './tool-calls.ts';

type Choice = {
  text: string;
  refusal: string;
  toolCalls: ToolCalls;
  finishReason: FinishReason | undefined;
};

type State = {
  readonly choices: Map<number, Choice>;
  usage: ReportedUsage | undefined;
  bytes: number;
};

/**
 * Maps the dialect's finish reasons, and those that compatible servers use for an incomplete
 * answer, to those of a certificate.
 */
const FINISH_REASON_OF = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  // Mistral and proxies for Anthropic models use these finish reasons.
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  // DeepSeek uses the first of these finish reasons, vLLM and SGLang use the second.
  ['insufficient_system_resource', 'error'],
  ['abort', 'error'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['error', 'error'],
]);

/**
 * Creates an empty {@link AnswerGatherer} of the chat-completions dialect: `body` reads the message
 * of each choice, `chunk` the delta of each choice.
 */
export function createChatAnswer(): AnswerGatherer {
  const state: State = { choices: new Map(), usage: undefined, bytes: 0 };
  return {
    body: (parsed) => takeAnswer(state, parsed, 'message'),
    chunk: (parsed) => takeAnswer(state, parsed, 'delta'),
    choices: () => choicesInOrder(state).map(toAnswerChoice),
    get finishReason() {
      return choicesInOrder(state)[0]?.[1].finishReason;
    },
    get usage() {
      return state.usage;
    },
    get contentBytes() {
      return state.bytes;
    },
  };
}

function takeAnswer(state: State, parsed: unknown, part: 'message' | 'delta'): void {
  const answer = asMembers(parsed);
  if (answer === undefined) return;
  state.usage = asUsage(answer['usage']) ?? state.usage;
  for (const [position, item] of asList(answer['choices']).entries()) {
    const source = asMembers(item);
    if (source === undefined) continue;
    const choice = choiceAt(state, asCount(source['index']) ?? position);
    const providerReason = asString(source['finish_reason']);
    if (providerReason !== '') choice.finishReason = FINISH_REASON_OF.get(providerReason) ?? 'stop';
    const members = asMembers(source[part]);
    if (members === undefined) continue;
    const text = asText(members['content']);
    const refusal = asString(members['refusal']);
    choice.text += text;
    choice.refusal += refusal;
    state.bytes += utf8Length(text) + utf8Length(refusal);
    const calls = members['tool_calls'];
    const { takeWhole, takePieces } = choice.toolCalls;
    state.bytes += part === 'message' ? takeWhole(calls) : takePieces(calls);
  }
}

function choiceAt(state: State, index: number): Choice {
  let choice = state.choices.get(index);
  if (choice === undefined) {
    choice = { text: '', refusal: '', toolCalls: createToolCalls(), finishReason: undefined };
    state.choices.set(index, choice);
    state.bytes += ENTRY_BYTES;
  }
  return choice;
}

function choicesInOrder(state: State): [number, Choice][] {
  return [...state.choices].toSorted(([a], [b]) => a - b);
}

/**
 * Returns the content of a choice that a certificate commits to. A refusal is text that the client
 * receives too, so it is appended to the content.
 */
function toAnswerChoice([index, choice]: [number, Choice]): AnswerChoice {
  const content = choice.text + choice.refusal;
  return { index, content: content === '' ? null : content, toolCalls: choice.toolCalls.toList() };
}

function asText(content: unknown): string {
  if (typeof content === 'string') return content;
  return asList(content)
    .map(asMembers)
    .map((part) => (part?.['type'] === 'text' ? asString(part['text']) : ''))
    .join('');
}

function asUsage(value: unknown): ReportedUsage | undefined {
  const usage = asMembers(value);
  if (usage === undefined) return undefined;
  const promptDetails = asMembers(usage['prompt_tokens_details']);
  const completionDetails = asMembers(usage['completion_tokens_details']);
  return toReportedUsage({
    promptTokens: asCount(usage['prompt_tokens']),
    completionTokens: asCount(usage['completion_tokens']),
    totalTokens: asCount(usage['total_tokens']),
    cachedTokens: asCount(promptDetails?.['cached_tokens']),
    cacheWriteTokens: asCount(promptDetails?.['cache_write_tokens']),
    reasoningTokens: asCount(completionDetails?.['reasoning_tokens']),
  });
}
