import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import { create } from '@bufbuild/protobuf';
import { UsageSchema } from '@witan/contracts';
import { ENDPOINTS } from '@witan/dialects';
import type { AnswerPiece, DialectName } from '@witan/dialects';
import {
  commitAnswer,
  commitmentText,
  ProofError,
  parseSavedAnswer,
  verifyResponse,
} from '@witan/proof';
import type { AnswerChoice, CertificatePayload, FinishReason } from '@witan/proof';
import { createRandom } from '@witan/testing/create-random';
import OpenAI from 'openai';
import { mutate, parseFrames, pick, writeFrames } from './mutate-transcript.ts';
import type { Frame } from './mutate-transcript.ts';

/** Transcripts, for each dialect, that pass verification and are read by its official client. */
const RUNS = Number(process.env['WITAN_FUZZ_RUNS'] ?? 300);
const SEED = Number(process.env['WITAN_FUZZ_SEED'] ?? 37);
const TIMEOUT_MS = 3_600_000;
/** At least this share of the passing transcripts must be read without an error of the client. */
const READ_SHARE_MIN = 0.5;
const TRIES_PER_RUN_MAX = 60;

const USAGE = { promptTokens: 13, completionTokens: 4, totalTokens: 17 };
const PAY = '{"to": "alice", "amount": 1.0}';
const text = (...values: string[]): AnswerPiece[] =>
  values.map((value) => ({ case: 'text', value }));
const call = (id: string, name: string, ...args: string[]): AnswerPiece[] => [
  { case: 'toolCall', value: { id, name } },
  ...args.map((value): AnswerPiece => ({ case: 'toolArguments', value })),
];

const ANSWERS: { pieces: AnswerPiece[]; finishReason: FinishReason }[] = [
  { pieces: text('We must ', 'not ', 'pay Zoë! 👋'), finishReason: 'stop' },
  {
    pieces: [
      ...text('I pay. ', 'Wait'),
      ...call('call_a', 'pay', PAY.slice(0, 9), PAY.slice(9)),
      ...call('call_b', 'now'),
    ],
    finishReason: 'tool_calls',
  },
  { pieces: call('call_a', 'pay', PAY), finishReason: 'tool_calls' },
  { pieces: text('A'), finishReason: 'length' },
];

const encode = (dialect: DialectName, { pieces, finishReason }: (typeof ANSWERS)[number]) => {
  const encoder = ENDPOINTS[dialect].createStreamEncoder({
    id: 'x1',
    model: 'gpt-4o-mini',
    created: 1,
    promptTokensEstimate: 13,
    wantsUsage: true,
  });
  const frames = [encoder.open(), ...pieces.map((piece) => encoder.piece(piece))].join('');
  const usage = create(UsageSchema, USAGE);
  return frames + encoder.end({ finishReason, usage, stopSequence: '' });
};

type Case = {
  frames: Frame[];
  choices: AnswerChoice[];
  payload: CertificatePayload;
  base: string[];
};

const toCase = (dialect: DialectName, answer: (typeof ANSWERS)[number]): Case => {
  const bytes = Buffer.from(encode(dialect, answer));
  const choices = parseSavedAnswer(bytes);
  const payload = {
    egress: { model: 'gpt-4o-mini' },
    response: {
      sha256: commitAnswer(choices),
      finishReason: answer.finishReason,
      usage: USAGE,
    },
  } as CertificatePayload;
  const { notCovered } = verifyResponse(payload, bytes);
  return { frames: parseFrames(bytes.toString()), choices, payload, base: notCovered };
};

/** Returns whether the verifier accepts a transcript without naming more than for the original. */
const passes = ({ payload, base }: Case, bytes: Uint8Array): boolean => {
  try {
    return verifyResponse(payload, bytes).notCovered.every((name) => base.includes(name));
  } catch (error) {
    if (error instanceof ProofError) return false;
    throw error;
  }
};

type Shown = { text: string; calls: [string, string, string][] };

const shownOf = (choices: readonly AnswerChoice[]): Shown => ({
  text: choices.map(({ content }) => content ?? '').join(''),
  calls: choices.flatMap(({ toolCalls }) =>
    toolCalls.map(({ id, name, arguments: args }): [string, string, string] => [id, name, args]),
  ),
});

const optionsOf = (bytes: Buffer) => ({
  apiKey: 'none',
  baseURL: 'http://localhost',
  maxRetries: 0,
  fetch: () =>
    Promise.resolve(
      new Response(new Uint8Array(bytes), { headers: { 'content-type': 'text/event-stream' } }),
    ),
});
const TURN = { role: 'user', content: 'Hi' } as const;

const READERS: Record<DialectName, (bytes: Buffer) => Promise<Shown>> = {
  'chat-completions': async (bytes) => {
    const { chat } = new OpenAI(optionsOf(bytes));
    const { choices } = await chat.completions
      .stream({ model: 'm', messages: [TURN] })
      .finalChatCompletion();
    return {
      text: choices
        .map(({ message }) => (message.content ?? '') + (message.refusal ?? ''))
        .join(''),
      calls: choices.flatMap(({ message }) =>
        (message.tool_calls ?? []).map((one): [string, string, string] => [
          one.id,
          one.type === 'function' ? one.function.name : '',
          one.type === 'function' ? one.function.arguments : '',
        ]),
      ),
    };
  },
  responses: async (bytes) => {
    const { responses } = new OpenAI(optionsOf(bytes));
    const final = await responses.stream({ model: 'm', input: 'Hi' }).finalResponse();
    const refusals = final.output.flatMap((item) =>
      item.type === 'message'
        ? item.content.map((part) => (part.type === 'refusal' ? part.refusal : ''))
        : [],
    );
    return {
      text: final.output_text + refusals.join(''),
      calls: final.output.flatMap((item) =>
        item.type === 'function_call'
          ? [[item.call_id, item.name, item.arguments] as [string, string, string]]
          : [],
      ),
    };
  },
  messages: async (bytes) => {
    const { messages } = new Anthropic(optionsOf(bytes));
    const { content } = await messages
      .stream({ model: 'm', max_tokens: 9, messages: [TURN] })
      .finalMessage();
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: content.flatMap((block) =>
        block.type === 'tool_use'
          ? [[block.id, block.name, commitmentText(block.input)] as [string, string, string]]
          : [],
      ),
    };
  },
};

describe.each(['chat-completions', 'messages', 'responses'] as const)(
  'mutated transcripts of %s that pass verification',
  (dialect) => {
    it(
      `are read by the official client as they were certified (${RUNS} of them)`,
      async () => {
        const random = createRandom(SEED);
        const cases = ANSWERS.map((answer) => toCase(dialect, answer));
        const read = READERS[dialect];
        let [tried, passed, agreed, failed] = [0, 0, 0, 0];
        const others: string[] = [];
        while (passed < RUNS && tried < RUNS * TRIES_PER_RUN_MAX) {
          const one = pick(random, cases);
          const bytes = Buffer.from(
            writeFrames(mutate(one.frames, pick(random, cases).frames, random), random),
          );
          tried += 1;
          if (!passes(one, bytes)) continue;
          passed += 1;
          const shown = await read(bytes).catch((error: unknown) => error as Error);
          if (shown instanceof Error) failed += 1;
          else if (JSON.stringify(shown) === JSON.stringify(shownOf(one.choices))) agreed += 1;
          else others.push(`${JSON.stringify(shown)}\n${bytes.toString()}`);
        }
        process.stderr.write(
          `${dialect}: ${tried} tried, ${passed} pass, ${agreed} read alike, ${failed} not read\n`,
        );
        expect(others.slice(0, 3)).toEqual([]);
        expect(passed).toBe(RUNS);
        expect(agreed / passed).toBeGreaterThan(READ_SHARE_MIN);
      },
      TIMEOUT_MS,
    );
  },
);
