import { create } from '@bufbuild/protobuf';
import { invalidRequest, ServiceError, TurnSchema } from '@witan/contracts';
import type { Turn } from '@witan/contracts';
import { toTextTurn } from '@witan/dialects';
import type { Prompt } from '@witan/dialects';
import { describeShape } from '../completion/answer/describe-shape.ts';
import { estimateTokens } from '../prompt/estimate-tokens.ts';
import type { PromptItem } from '../prompt/prompt-item.ts';
import { renderSupplementary } from '../prompt/prompt-item.ts';
import { estimateTurn } from '../prompt/to-exchanges.ts';

export type AssistMessage = { role: string; content: string };

export type AssistParams = {
  systemPrompt: string;
  messages: readonly AssistMessage[];
  json: boolean;
  temperature?: number;
  maxTokens?: number;
  supplementary: readonly PromptItem[];
};

/**
 * Returns the prompt. Its system instructions consist of the system prompt, the supplementary data,
 * the system messages and, if `json` is set, a rule for JSON; its turns are the other messages.
 * Throws INVALID_REQUEST for an empty system prompt or invalid messages, and REQUEST_TOO_LARGE if
 * the estimated tokens of prompt and answer exceed `contextTokens` less a margin.
 */
export const prepareAssist = (params: AssistParams, contextTokens: number): Prompt => {
  const { systemPrompt, messages, json, temperature, maxTokens, supplementary } = params;
  if (systemPrompt === '')
    throw invalidRequest('systemPrompt is empty.', { param: 'systemPrompt' });
  const turns = toTurns(messages);
  const block = renderSupplementary(supplementary);
  const system = [
    block === '' ? systemPrompt : `${systemPrompt}\n\n${block}`,
    ...messages.filter(isInstruction).map(({ content }) => content),
    ...(json ? [describeShape({})] : []),
  ].filter((text) => text !== '');
  const usableTokens = toUsableTokens(contextTokens, maxTokens);
  checkFits({ params, block, system, turns }, usableTokens);
  return {
    system,
    turns,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    wantsJson: json,
    isStreamed: false,
  };
};

const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

const isInstruction = ({ role }: AssistMessage): boolean => role === 'system';

const toTurns = (messages: readonly AssistMessage[]): Turn[] => {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    if (!ROLES.has(role)) {
      throw invalidRequest('A role must be user, assistant or system.', { param: 'messages' });
    }
    if (role === 'system') continue;
    const turn = toTextTurn(role as 'user' | 'assistant', content);
    const last = turns.at(-1);
    if (last?.role !== role) turns.push(turn);
    else
      turns[turns.length - 1] = create(TurnSchema, { role, parts: [...last.parts, ...turn.parts] });
  }
  if (turns[0]?.role !== 'user') {
    const message = 'messages must begin with one of the user; system messages do not count.';
    throw invalidRequest(message, { param: 'messages' });
  }
  return turns;
};

const ANSWER_TOKENS = 4_000;
const ANSWER_SHARE = 0.25;
/**
 * Maximum number of tokens that are reserved for the answer, because the llm-gateway lowers higher
 * output limits.
 */
const ANSWER_TOKENS_MAX = 16_000;
const MARGIN_SHARE = 0.05;

const toUsableTokens = (contextTokens: number, maxTokens: number | undefined): number => {
  const answer =
    maxTokens === undefined
      ? Math.min(ANSWER_TOKENS, contextTokens * ANSWER_SHARE)
      : Math.min(maxTokens, ANSWER_TOKENS_MAX);
  return Math.max(0, Math.floor(contextTokens * (1 - MARGIN_SHARE) - answer));
};

/**
 * Throws REQUEST_TOO_LARGE if the estimated prompt exceeds `usableTokens`; its `param` names the
 * part to shorten. The prompt is not shortened here, because all of it comes from the caller.
 */
const checkFits = (
  prompt: {
    params: AssistParams;
    block: string;
    system: readonly string[];
    turns: readonly Turn[];
  },
  usableTokens: number,
): void => {
  const systemTokens = sum(prompt.system.map(estimateTokens));
  const neededTokens = systemTokens + sum(prompt.turns.map(estimateTurn));
  if (neededTokens <= usableTokens) return;
  const ownTokens = estimateTokens(prompt.params.systemPrompt);
  const param =
    ownTokens > usableTokens
      ? 'systemPrompt'
      : ownTokens + estimateTokens(prompt.block) > usableTokens
        ? 'supplementary'
        : 'messages';
  throw new ServiceError(
    'REQUEST_TOO_LARGE',
    `The prompt does not fit the model: it takes about ${neededTokens} tokens, and there is room ` +
      `for ${usableTokens}. Send less, or ask for fewer output tokens.`,
    { fields: { param } },
  );
};

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
