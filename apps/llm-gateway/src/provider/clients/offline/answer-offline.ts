import { createHash } from 'node:crypto';
import type { AnswerMessage, ChatCompletion, Choice, FinishReason } from './chat-completion.ts';
import { chooseTool, type OfferedTool } from './choose-tool.ts';
import { composeAnswer } from './compose-answer.ts';
import { type AnswerLimits, cutAnswer, readAnswerLimits } from './cut-answer.ts';
import { answerDebate } from './debate/answer-debate.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { fillSchema } from './fill-schema.ts';
import {
  type RequestedField,
  findRequestedFields,
  toFieldSchema,
} from './find-requested-fields.ts';
import { createMaterialFinder, type Material } from './find-in-material.ts';
import { createQuestionFinder } from './find-in-question.ts';
import { DISCLOSURE, gatherSentences } from './gather-sentences.ts';
import { isRecord } from './is-record.ts';
import { answerMarket } from './market/answer-market.ts';
import { rankSentences } from './rank-sentences.ts';
import { readContent } from './read-content.ts';
import { type Conversation, readConversation } from './read-conversation.ts';

export const OFFLINE_MODEL = 'witan-offline';

// The `system_fingerprint`. Must change whenever the wording or the rules of the answers change.
const FINGERPRINT = 'fp_witan_offline_5';

// The same body must give the same bytes, so `created` is the epoch instead of the current time.
const CREATED = 0;

const MAX_CHOICES = 16;
const TOKENS_PER_MESSAGE = 4;
const MAX_TOOL_TEXT_CHARACTERS = 4_000;

type Draft =
  | { readonly kind: 'call'; readonly tool: string; readonly arguments: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refusal'; readonly text: string };

/**
 * Answers a chat-completions request without a model (docs/spec.md#4.6).
 *
 * 1. A call of a debate or for a market analysis gets the requested JSON (`debate/`, `market/`).
 * 2. Otherwise the conversation is read: the question, and the passages around it.
 * 3. A tool that matches the question is called, unless a tool has already returned a result.
 * 4. Otherwise the sentences are ranked by relevance to the question and the best are quoted with
 * their source, in two to five sentences that disclose the offline provider.
 * 5. With `response_format` the answer is JSON: an instance of the schema, or a refusal; without a
 * schema, the fields that the instructions list.
 * 6. The answer is cut at `stop` and `max_tokens`, and repeated `n` times, at most 16.
 *
 * The same body gives the same bytes in any process: ids are hashes of the body. Accepts any JSON
 * value without throwing; unusable parts are ignored.
 */
export function answerOffline(body: unknown): ChatCompletion {
  const request = isRecord(body) ? body : {};
  const draft = draftAnswer(request);
  const limits = readAnswerLimits(request);
  const hash = hashBody(body);
  const choices = Array.from({ length: readChoiceCount(request) }, (_, index) =>
    finishChoice({ draft, limits, hash, index }),
  );
  return {
    id: `chatcmpl-${hash.slice(0, 32)}`,
    object: 'chat.completion',
    created: CREATED,
    model: OFFLINE_MODEL,
    choices,
    usage: countUsage(request, choices),
    system_fingerprint: FINGERPRINT,
  };
}

function draftAnswer(request: Readonly<Record<string, unknown>>): Draft {
  const specialAnswer = answerDebate(request) ?? answerMarket(request);
  if (specialAnswer !== undefined) return { kind: 'text', text: specialAnswer };
  const conversation = readConversation(request);
  if (!conversation.hasToolResult) {
    const tool = chooseTool(request, userText(conversation));
    const call = tool === undefined ? undefined : draftCall(tool, conversation);
    if (call !== undefined) return call;
  }
  const ranked = rankSentences(conversation.question, gatherSentences(conversation));
  const answer = composeAnswer(conversation, ranked);
  const sentences = ranked.filter(({ score }) => score > 0).map(({ sentence }) => sentence);
  const material = { question: conversation.question, answer, sentences };
  const fields = findRequestedFields(conversation.passages);
  return draftFormatted(request['response_format'], material, fields);
}

function userText({ question, passages }: Conversation): string {
  const rest = passages.filter(({ speaker }) => speaker === 'rest').map(({ text }) => text);
  return [question, ...rest].join('\n').slice(0, MAX_TOOL_TEXT_CHARACTERS);
}

function draftCall(tool: OfferedTool, conversation: Conversation): Draft | undefined {
  const finder = createQuestionFinder(userText(conversation));
  const found = fillSchema(tool.parameters, { finder, optional: 'evidenced' });
  if (!isRecord(found)) return undefined;
  return { kind: 'call', tool: tool.name, arguments: JSON.stringify(found) };
}

function draftFormatted(
  format: unknown,
  material: Material,
  fields: readonly RequestedField[],
): Draft {
  const type = isRecord(format) ? format['type'] : 'text';
  if (!isRecord(format) || (type !== 'json_object' && type !== 'json_schema')) {
    return { kind: 'text', text: material.answer };
  }
  if (type === 'json_object') {
    return { kind: 'text', text: JSON.stringify(toJsonObject(material, fields)) };
  }
  const named = format['json_schema'];
  const schema = (isRecord(named) ? named['schema'] : undefined) ?? { type: 'object' };
  const finder = createMaterialFinder(material);
  const instance = fillSchema(schema, { finder, optional: 'every' });
  if (instance !== undefined) return { kind: 'text', text: JSON.stringify(instance) };
  return { kind: 'refusal', text: `${DISCLOSURE}: it found no instance of the given JSON Schema.` };
}

function toJsonObject(
  material: Material,
  fields: readonly RequestedField[],
): Record<string, unknown> {
  if (fields.length > 0) {
    const finder = createMaterialFinder(material);
    const filled = fillSchema(toFieldSchema(fields), { finder, optional: 'every' });
    if (isRecord(filled)) return filled;
  }
  const { question, answer, sentences } = material;
  const quotes = sentences.slice(0, 3).map(({ text }) => text);
  return { question, answer, quotes };
}

type ChoiceParts = {
  readonly draft: Draft;
  readonly limits: AnswerLimits;
  readonly hash: string;
  readonly index: number;
};

function finishChoice({ draft, limits, hash, index }: ChoiceParts): Choice {
  if (draft.kind === 'call') {
    // Stop sequences apply only to prose, so arguments are cut only at the token limit.
    const cut = cutAnswer(draft.arguments, { ...limits, stops: [] });
    const id = `call_${createHash('sha256').update(`${hash}:${index}`).digest('hex').slice(0, 24)}`;
    const called = { name: draft.tool, arguments: cut.text };
    return toChoice(index, cut.finishReason === 'stop' ? 'tool_calls' : 'length', {
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [{ id, type: 'function', function: called }],
    });
  }
  const { text, finishReason } = cutAnswer(draft.text, limits);
  const isRefusal = draft.kind === 'refusal';
  return toChoice(index, finishReason, {
    role: 'assistant',
    content: isRefusal ? null : text,
    refusal: isRefusal ? text : null,
  });
}

function toChoice(index: number, finishReason: FinishReason, message: AnswerMessage): Choice {
  return { index, message, logprobs: null, finish_reason: finishReason };
}

function readChoiceCount({ n }: Readonly<Record<string, unknown>>): number {
  return typeof n === 'number' && n >= 1 ? Math.min(Math.floor(n), MAX_CHOICES) : 1;
}

function countUsage(
  request: Readonly<Record<string, unknown>>,
  choices: readonly Choice[],
): ChatCompletion['usage'] {
  const { messages, tools } = request;
  const list = Array.isArray(messages) ? messages : [];
  const prompt = list.reduce(
    (sum: number, message: unknown) => sum + TOKENS_PER_MESSAGE + countMessage(message),
    estimateTokens(toText(tools)),
  );
  const completion = choices.reduce((sum, { message }) => {
    const calls = message.tool_calls?.map((call) => call.function.name + call.function.arguments);
    const text = [message.content, message.refusal, ...(calls ?? [])].join('');
    return sum + estimateTokens(text);
  }, 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

// Returns the tokens of a message. Images and files count as zero, because they are not read.
function countMessage(message: unknown): number {
  const { content, tool_calls: calls } = isRecord(message) ? message : {};
  return estimateTokens(readContent(content).text) + estimateTokens(toText(calls));
}

function hashBody(body: unknown): string {
  return createHash('sha256').update(toText(body)).digest('hex');
}

// Returns a value as text. A parser that preserves huge integers returns BigInts, which
// JSON.stringify rejects.
function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'bigint' ? String(part) : part,
  );
}
