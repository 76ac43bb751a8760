import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { answerWith, openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import type { Random } from '@witan/testing/create-random';

/** A scripted provider with random delays that records every call. */
export type FaultProvider = {
  baseUrl: string;
  received: () => ReceivedCall[];
  /** Resolves when the next response has been sent completely. */
  whenResponded: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * A call that the provider received: SHA-256 of its exact body, and the text of its message, which
 * only retries of one call share.
 */
export type ReceivedCall = { sha256: string; content: string };

/** Longest delay before a response, in milliseconds. */
const RESPONSE_DELAY_MAX_MS = 500;
const PIECE_DELAY_MAX_MS = 60;
const PIECES_MAX = 12;
const PROMPT_TOKENS_MAX = 500;
const OUTPUT_TOKENS_MAX = 2_000;
/**
 * Number of output tokens that exceeds the reservation of each of these calls: 16,000 tokens and
 * the prompt.
 */
const EXCESSIVE_TOKENS = 20_000;
const EXCESSIVE_SHARE = 0.05;

/** Starts a scripted provider; delays, content and usage of its responses are random. */
export const openProvider = async (random: Random): Promise<FaultProvider> => {
  const waiters: (() => void)[] = [];
  const provider = await openScriptedProvider({
    models: ['gpt-5'],
    fallback: async (exchange) => {
      const isSlow = random.next() < 0.5;
      const pieces = random.integer(1, PIECES_MAX);
      const content = Array.from({ length: pieces }, (_, n) => `piece ${n} `);
      const waitUpTo = async (ms: number): Promise<void> => {
        if (isSlow) await pause(random.integer(0, ms));
      };
      const gate = { pass: () => waitUpTo(PIECE_DELAY_MAX_MS), open: () => {}, release: () => {} };
      const after = waitUpTo(RESPONSE_DELAY_MAX_MS);
      await answerWith({ content, usage: drawUsage(random) }, { after, gate })(exchange);
      // Here the whole response has been written to the connection.
      if (!exchange.closeSignal.aborted) for (const wake of waiters.splice(0)) wake();
    },
  });
  return {
    baseUrl: provider.baseUrl,
    received: () => readCalls(provider),
    whenResponded: () => new Promise((resolve) => waiters.push(resolve)),
    close: async () => {
      await provider[Symbol.asyncDispose]();
    },
  };
};

/** Returns random token counts. In about 5 % of the calls they exceed the reservation. */
const drawUsage = (random: Random): Record<string, number> => {
  const prompt = random.integer(1, PROMPT_TOKENS_MAX);
  const isExcessive = random.next() < EXCESSIVE_SHARE;
  const completion = isExcessive ? EXCESSIVE_TOKENS : random.integer(1, OUTPUT_TOKENS_MAX);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
};

type ChatBody = { messages?: { content?: string }[] };

/** Returns the received calls, except those whose body did not arrive completely. */
const readCalls = ({ requests }: ScriptedProvider): ReceivedCall[] =>
  requests
    .filter(({ method, parsed }) => method === 'POST' && parsed !== undefined)
    .map(({ body, parsed }) => ({
      sha256: createHash('sha256').update(body).digest('hex'),
      content: (parsed as ChatBody).messages?.[0]?.content ?? '',
    }));
