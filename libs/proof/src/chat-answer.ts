import {
  asCount,
  asList,
  asMembers,
  asString,
  differs,
  ENTRY_BYTES,
  findNoText,
  FOREIGN_FRAME,
  isForeignFrame,
  takeList,
  takeMembers,
  takeString,
  toReportedUsage,
  utf8Length,
} from './answer.ts';
import type { AnswerChoice, AnswerGatherer, ReportedUsage } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import { createToolCalls } from './tool-calls.ts';
import type { CallContext, ToolCalls } from './tool-calls.ts';
import type { Uses } from './uses.ts';

type Members = Record<string, unknown>;

type Choice = {
  text: string;
  refusal: string;
  toolCalls: ToolCalls | undefined;
  /** As the provider wrote it; empty until it reports one. */
  finishReason: string;
};

type State = CallContext & {
  readonly choices: Map<number, Choice>;
  usage: ReportedUsage | undefined;
  bytes: number;
  contradiction: string | undefined;
  /** Only with `uses`: choices of chunks without content. */
  readonly idleChoices: Members[];
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

/** Finish reasons that a certificate has by the same name, so that it covers their spelling. */
const SAME_REASONS = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'error']);

/**
 * Creates an empty {@link AnswerGatherer} of the chat-completions dialect: `body` reads the message
 * of each choice, `chunk` the delta of each choice.
 */
export function createChatAnswer(uses?: Uses): AnswerGatherer {
  const state: State = {
    uses,
    choices: new Map(),
    usage: undefined,
    bytes: 0,
    contradiction: undefined,
    contradict: (contradiction) => void (state.contradiction ??= contradiction),
    undo: undefined,
    idleChoices: [],
  };
  return {
    body: (parsed) => takeAnswer(state, asMembers(parsed), 'message'),
    chunk: (parsed, name) => {
      const chunk = asMembers(parsed);
      if (chunk === undefined || state.contradiction !== undefined) return;
      if (isForeignFrame('chat-completions', chunk)) state.contradiction = FOREIGN_FRAME;
      else {
        if (name) uses?.note(`event ${name}`);
        takeAnswer(state, chunk, 'delta');
      }
    },
    choices: () => {
      // A single choice shows that all chunks are of it.
      if (state.choices.size === 1) for (const one of state.idleChoices) uses?.mark(one, 'index');
      return choicesInOrder(state).map(toAnswerChoice);
    },
    get finishReason() {
      const reason = choicesInOrder(state)[0]?.[1].finishReason ?? '';
      return reason === '' ? undefined : (FINISH_REASON_OF.get(reason) ?? 'stop');
    },
    get usage() {
      return state.usage;
    },
    get contentBytes() {
      return state.bytes;
    },
    get contradiction() {
      return state.contradiction;
    },
  };
}

function takeAnswer(state: State, answer: Members | undefined, part: 'message' | 'delta'): void {
  if (answer === undefined) return;
  const choices =
    part === 'delta' ? takeList(state.uses, answer, 'choices') : asList(answer['choices']);
  state.undo = choices.length > 1 || hasToolCalls(choices[0], part) ? [] : undefined;
  for (const [position, item] of choices.entries()) {
    const source = asMembers(item);
    if (source !== undefined) takeChoice(state, source, { position, part });
  }
  if (state.contradiction !== undefined) {
    for (const takeBack of state.undo?.toReversed() ?? []) takeBack();
  } else takeUsage(state, answer, part);
}

const hasToolCalls = (choice: unknown, part: 'message' | 'delta'): boolean =>
  asMembers(asMembers(choice)?.[part])?.['tool_calls'] !== undefined;

/**
 * Takes a choice. A chunk needs its index, because clients do not add it to a choice without one;
 * the choices of a body are in the order of their index, because clients read them by position.
 */
function takeChoice(
  state: State,
  source: Members,
  { position, part }: { position: number; part: 'message' | 'delta' },
): void {
  const { uses } = state;
  const index = asCount(source['index']);
  if (index === undefined && part === 'delta') uses?.note('choices[].index');
  if (part === 'message' && (index ?? position) !== position) {
    state.contradiction = 'choices[].index is not the position of its choice';
    return;
  }
  const members = takeMembers(uses, source, part);
  state.contradiction ??= members && findNoTextIn(members);
  if (state.contradiction !== undefined) return;
  const choice = choiceAt(state, index ?? position);
  takeFinishReason(state, choice, { source, part, isFirst: (index ?? position) === 0 });
  if (state.contradiction !== undefined) return;
  if (uses && index !== undefined) {
    if (part === 'message' || hasContent(source)) uses.mark(source, 'index');
    else state.idleChoices.push(source);
  }
  if (members === undefined) return;
  const { text: knownText, refusal: knownRefusal } = choice;
  const text = takeText(uses, members);
  const refusal = asString(members['refusal']);
  // That a text is a refusal is not covered, but a refusal is text.
  if (refusal === '') takeString(uses, members, 'refusal');
  if (text !== '' || refusal !== '') {
    state.undo?.push(() => Object.assign(choice, { text: knownText, refusal: knownRefusal }));
    choice.text += text;
    choice.refusal += refusal;
    state.bytes += utf8Length(text) + utf8Length(refusal);
  }
  const calls = takeList(uses, members, 'tool_calls');
  if (calls.length === 0) return;
  choice.toolCalls ??= createToolCalls(state);
  const { takeWhole, takePieces } = choice.toolCalls;
  state.bytes += part === 'message' ? takeWhole(calls) : takePieces(calls);
}

/** Returns whether a choice of a chunk has a part of the answer. */
function hasContent(source: Members): boolean {
  const { content, refusal, tool_calls: calls } = asMembers(source['delta']) ?? {};
  return [source['finish_reason'], content, refusal, calls].some(
    (value) => asString(value) !== '' || asList(value).length > 0,
  );
}

function takeFinishReason(
  { uses, contradict }: State,
  choice: Choice,
  { source, part, isFirst }: { source: Members; part: 'message' | 'delta'; isFirst: boolean },
): void {
  const reason = asString(source['finish_reason']);
  if (reason === '') {
    if (isFirst && part === 'delta') takeString(uses, source, 'finish_reason');
    return undefined;
  }
  if (choice.finishReason !== '' && choice.finishReason !== reason) {
    return contradict(differs('choices[].finish_reason'));
  }
  choice.finishReason = reason;
  // A certificate has the finish reason of the first choice.
  if (isFirst && SAME_REASONS.has(reason)) uses?.markLast('finish', source, ['finish_reason']);
}

function takeUsage(state: State, answer: Members, part: 'message' | 'delta'): void {
  if (answer['usage'] === null && part === 'delta') takeString(state.uses, answer, 'usage');
  const source = asMembers(answer['usage']);
  const usage = asUsage(source);
  if (source === undefined || usage === undefined) return;
  state.usage = usage;
  state.uses?.markLast('usage', source, countNames(source));
}

const countNames = (usage: Members): string[] =>
  ['prompt_tokens', 'completion_tokens', 'total_tokens'].filter(
    (name) => asCount(usage[name]) !== undefined,
  );

function choiceAt(state: State, index: number): Choice {
  let choice = state.choices.get(index);
  if (choice === undefined) {
    choice = { text: '', refusal: '', toolCalls: undefined, finishReason: '' };
    state.choices.set(index, choice);
    state.undo?.push(() => void state.choices.delete(index));
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
  return {
    index,
    content: content === '' ? null : content,
    toolCalls: choice.toolCalls?.toList() ?? [],
  };
}

/** Returns the contradiction of a message or delta that has something else than text. */
function findNoTextIn({ content, refusal }: Members): string | undefined {
  const texts = Array.isArray(content) ? content.map(textOfPart) : undefined;
  const other = texts ? texts.find((text) => findNoText('', text) !== undefined) : content;
  return findNoText('choices[] content', other) ?? findNoText('choices[] refusal', refusal);
}

function textOfPart(value: unknown): unknown {
  const part = asMembers(value);
  return part?.['type'] === 'text' ? part['text'] : undefined;
}

/** Returns the text of a message or delta. A list of parts is covered but for its form. */
function takeText(uses: Uses | undefined, members: Members): string {
  const { content } = members;
  if (!Array.isArray(content)) return takeString(uses, members, 'content');
  return content
    .map(asMembers)
    .map((part) => (part?.['type'] === 'text' ? takeString(uses, part, 'text') : ''))
    .join('');
}

function asUsage(usage: Members | undefined): ReportedUsage | undefined {
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
