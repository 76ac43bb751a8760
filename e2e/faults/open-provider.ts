import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { answerWith, openScriptedProvider } from '@witan/testing';
import type { ScriptedProvider } from '@witan/testing';
import type { Random } from './random.ts';

/** A provider that is sometimes fast and sometimes slow, and remembers every call. */
export type FaultProvider = {
  baseUrl: string;
  /** Every call that arrived whole. */
  received: () => ReceivedCall[];
  close: () => Promise<void>;
};

/** A call as the provider saw it: SHA-256 of the exact body, and the unique text inside. */
export type ReceivedCall = { sha256: string; content: string };

/** Longest wait before an answer begins, and between two pieces of a streamed one. */
const SLOW_MS = 500;
const PIECE_MS = 60;
const PIECES_MAX = 12;

/** Opens the provider; what each call gets is drawn from `random`. */
export const openProvider = async (random: Random): Promise<FaultProvider> => {
  const provider = await openScriptedProvider({
    models: ['gpt-5'],
    fallback: async (exchange) => {
      const isSlow = random.next() < 0.5;
      const pieces = random.integer(1, PIECES_MAX);
      const content = Array.from({ length: pieces }, (_, n) => `piece ${n} `);
      const waitUpTo = async (ms: number): Promise<void> => {
        if (isSlow) await pause(random.integer(0, ms));
      };
      const gate = { pass: () => waitUpTo(PIECE_MS), open: () => {}, release: () => {} };
      const after = waitUpTo(SLOW_MS);
      await answerWith({ content }, { after, gate })(exchange);
    },
  });
  return {
    baseUrl: provider.baseUrl,
    received: () => readCalls(provider),
    close: async () => {
      await provider[Symbol.asyncDispose]();
    },
  };
};

type ChatBody = { messages?: { content?: string }[] };

/** A body that was cut off by a kill cannot be hashed: it never was a call. */
const readCalls = ({ requests }: ScriptedProvider): ReceivedCall[] =>
  requests
    .filter(({ method, parsed }) => method === 'POST' && parsed !== undefined)
    .map(({ body, parsed }) => ({
      sha256: createHash('sha256').update(body).digest('hex'),
      content: (parsed as ChatBody).messages?.[0]?.content ?? '',
    }));
