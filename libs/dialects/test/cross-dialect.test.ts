import { describe, expect, it } from '@jest/globals';
import { createSseSplitter } from '@witan/proof';
import type { FinishReason } from '@witan/proof';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import type { AnswerPiece, AnswerTail, Dialect, Frame } from '../src/dialect.ts';
import type { JsonObject } from '../src/json/json-value.ts';
import { chatCompletions } from '../src/chat-completions/dialect.ts';
import { messages } from '../src/messages/dialect.ts';
import { responses } from '../src/responses/dialect.ts';
import type { Conversation } from '@witan/contracts';
import { createNeutralAnswerCollector } from '../src/neutral/create-neutral-answer.ts';
import { arbitraryAnswer, arbitraryTail, splitPieces, joinPieces } from './arbitrary-answer.ts';
import { arbitraryConversation } from './arbitrary-conversation.ts';

const TARGET = { model: 'model-of-nobody', maxOutputTokens: 16_000 };
const HEAD = { id: 'x1', model: 'm', created: 1, promptTokensEstimate: 7, wantsUsage: true };
const DIALECTS = [messages, chatCompletions, responses];
const DIRECTIONS = DIALECTS.flatMap((clientDialect) =>
  DIALECTS.filter((dialect) => dialect !== clientDialect).map((providerDialect) => ({
    clientDialect,
    providerDialect,
  })),
);
const parse = (body: string): JsonObject => JSON.parse(body) as JsonObject;

/**
 * Returns a conversation that these dialects can express: the responses dialect has no stop
 * sequences, and its tools are strict unless they say that they are not.
 */
const toCommon = (conversation: Conversation, ...dialects: Dialect[]): Conversation => {
  if (!dialects.includes(responses)) return conversation;
  conversation.sampling!.stop = [];
  for (const tool of conversation.tools) tool.strict ??= false;
  return conversation;
};

describe('a conversation that all dialects can express', () => {
  it.each(DIALECTS)('round-trips through the dialect $name', (dialect) => {
    fc.assert(
      fc.property(arbitraryConversation('common'), (arbitrary) => {
        const conversation = toCommon(arbitrary, dialect);
        const { body, dropped } = dialect.encodeRequest(conversation, TARGET);
        expect(dropped).toEqual([]);
        expect(dialect.decodeRequest(parse(body))).toEqual({ conversation, dropped: [] });
      }),
    );
  });

  it.each(DIRECTIONS)(
    'is the same body after conversion from $clientDialect.name to $providerDialect.name and back',
    ({ clientDialect, providerDialect }) => {
      fc.assert(
        fc.property(arbitraryConversation('common'), (arbitrary) => {
          const conversation = toCommon(arbitrary, clientDialect, providerDialect);
          const { body } = clientDialect.encodeRequest(conversation, TARGET);
          const converted = providerDialect.encodeRequest(
            clientDialect.decodeRequest(parse(body)).conversation,
            TARGET,
          );
          const convertedBack = clientDialect.encodeRequest(
            providerDialect.decodeRequest(parse(converted.body)).conversation,
            TARGET,
          );
          expect(convertedBack.body).toBe(body);
          expect([...converted.dropped, ...convertedBack.dropped]).toEqual([]);
        }),
      );
    },
  );
});

describe('a conversation that the messages dialect can express', () => {
  it('round-trips signatures, cache marks, media in results, tool errors', () => {
    fc.assert(
      fc.property(arbitraryConversation('messages'), (conversation) => {
        const { body, dropped } = messages.encodeRequest(conversation, TARGET);
        expect(dropped).toEqual([]);
        expect(messages.decodeRequest(parse(body))).toEqual({ conversation, dropped: [] });
      }),
    );
  });
});

const streamText = (dialect: Dialect, pieces: readonly AnswerPiece[], tail: AnswerTail): string => {
  const encoder = dialect.createStreamEncoder(HEAD);
  return encoder.open() + pieces.map(encoder.piece).join('') + encoder.end(tail);
};

const framesOf = (dialect: Dialect, text: string): Frame[] => {
  const frames = createSseSplitter().push(new TextEncoder().encode(text));
  return frames.map(({ data }) => dialect.readFrame(data));
};

const streamOf = (dialect: Dialect, pieces: readonly AnswerPiece[], tail: AnswerTail): Frame[] =>
  framesOf(dialect, streamText(dialect, pieces, tail));

const piecesOf = (dialect: Dialect, frames: readonly Frame[]): AnswerPiece[] => {
  const decoder = dialect.createStreamDecoder();
  const pieces = frames.flatMap(({ value }) => (value ? decoder.push(value) : []));
  return [...pieces, ...decoder.end()];
};
const readBack = (dialect: Dialect, frames: readonly Frame[]): AnswerPiece[] =>
  joinPieces(piecesOf(dialect, frames));

const answerOf = (dialect: Dialect) =>
  fc
    .tuple(
      arbitraryAnswer(dialect.name === 'messages' ? 'messages' : 'common'),
      arbitraryTail,
      fc.integer({ min: 1, max: 5 }),
    )
    .map(([pieces, tail, size]) => [pieces, withMatchingFinishReason(tail, pieces), size] as const);

/**
 * Returns `tail` with the finish reason that an answer with these pieces must have if it ended
 * normally: `tool_calls` if it has tool calls, else `stop`.
 */
const withMatchingFinishReason = (tail: AnswerTail, pieces: readonly AnswerPiece[]): AnswerTail => {
  if (tail.finishReason !== 'stop' && tail.finishReason !== 'tool_calls') return tail;
  const hasCalls = pieces.some((piece) => piece.case === 'toolCall');
  return { ...tail, finishReason: hasCalls ? 'tool_calls' : 'stop' };
};

describe.each(DIALECTS)('an answer in the dialect $name', (dialect) => {
  it('has the same content complete and streamed, however its pieces are split', () => {
    fc.assert(
      fc.property(answerOf(dialect), ([pieces, tail, size]) => {
        const completeBody = dialect.encodeResponse(
          HEAD,
          splitPieces(pieces, size),
          tail,
        ) as JsonObject;
        const frames = streamOf(dialect, splitPieces(pieces, size), tail);
        expect(joinPieces(dialect.decodeResponse(completeBody).pieces)).toEqual(pieces);
        expect(readBack(dialect, frames)).toEqual(pieces);
      }),
    );
  });

  it('is committed to as its client receives it, complete and streamed', () => {
    fc.assert(
      fc.property(answerOf(dialect), ([pieces, tail]) => {
        const certified = createNeutralAnswerCollector(dialect.name);
        certified.take(pieces);
        const completeAnswer = dialect.createAnswer();
        completeAnswer.body(dialect.encodeResponse(HEAD, pieces, tail));
        const streamed = dialect.createAnswer();
        for (const { value } of streamOf(dialect, pieces, tail)) streamed.chunk(value);
        expect(completeAnswer.choices()).toEqual(certified.choices());
        expect(streamed.choices()).toEqual(certified.choices());
      }),
    );
  });

  it('ends with the same reason and usage, complete and streamed', () => {
    fc.assert(
      fc.property(answerOf(dialect), ([pieces, tail]) => {
        const completeAnswer = dialect.createAnswer();
        completeAnswer.body(dialect.encodeResponse(HEAD, pieces, tail));
        const streamed = dialect.createAnswer();
        for (const { value } of streamOf(dialect, pieces, tail)) streamed.chunk(value);
        const { estimated: _, ...usage } = tail.usage;
        for (const answer of [completeAnswer, streamed]) {
          expect(answer.finishReason).toBe(endOf(dialect, pieces, tail.finishReason));
          expect(answer.usage).toEqual(dialect === responses ? withAllCounts(usage) : usage);
        }
      }),
    );
  });
});

/** The responses dialect reports 0 for a count that the provider did not report. */
const withAllCounts = (usage: object): object => ({
  ...usage,
  ...Object.fromEntries(
    ['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'].map((name) => [
      name,
      (usage as Record<string, number | undefined>)[name] ?? 0,
    ]),
  ),
});

describe('an answer that all dialects can express', () => {
  it.each(DIRECTIONS)(
    'is the same after conversion from $providerDialect.name to $clientDialect.name',
    ({ clientDialect, providerDialect }) => {
      fc.assert(
        fc.property(answerOf(chatCompletions), ([pieces, tail, size]) => {
          const frames = streamOf(providerDialect, splitPieces(pieces, size), tail);
          const converted = readBack(providerDialect, frames);
          const convertedBack = readBack(
            clientDialect,
            streamOf(clientDialect, splitPieces(converted, size), tail),
          );
          expect(convertedBack).toEqual(pieces);
        }),
      );
    },
  );
});

const golden = (name: string): string =>
  readFileSync(new URL(`golden/${name}`, import.meta.url), 'utf8');

const ENDS: AnswerTail = {
  finishReason: 'tool_calls',
  stopSequence: '',
  usage: {
    promptTokens: 90,
    completionTokens: 40,
    totalTokens: 130,
    estimated: false,
    cachedTokens: 64,
    reasoningTokens: 10,
  },
};

describe('golden conversions', () => {
  it.each([
    ['tool-loop', 'a loop of tools: old ids, empty arguments, results out of order'],
    ['vision', 'images and files, behind a greeting of the assistant'],
    ['schema', 'an answer by a schema'],
  ])('match from chat, %s: %s', (name) => {
    const { from, to, ...dropped } = JSON.parse(golden(`from-chat-${name}.json`));
    const decoded = chatCompletions.decodeRequest(from);
    const target = { model: 'claude-sonnet-4-6', maxOutputTokens: 16_000 };
    const encoded = messages.encodeRequest(decoded.conversation, target);
    expect(encoded.body).toBe(JSON.stringify(to));
    expect({ decodeDropped: decoded.dropped, encodeDropped: encoded.dropped }).toEqual(dropped);
  });

  it.each([
    ['harness', 'a coding agent: cache marks, seals, errors and images of tools'],
    ['schema', 'documents, and an answer by a schema'],
  ])('match from messages, %s: %s', (name) => {
    const { from, to, ...dropped } = JSON.parse(golden(`from-messages-${name}.json`));
    const decoded = messages.decodeRequest(from);
    const target = { model: 'gpt-4.1', maxOutputTokens: 16_000 };
    const encoded = chatCompletions.encodeRequest(decoded.conversation, target);
    expect(encoded.body).toBe(JSON.stringify(to));
    expect({ decodeDropped: decoded.dropped, encodeDropped: encoded.dropped }).toEqual(dropped);
  });

  it.each([
    ['chat-provider.sse', chatCompletions, messages, 'messages-client.sse'],
    ['../../src/messages/golden/provider-tools.sse', messages, chatCompletions, 'chat-client.sse'],
  ])(
    'match the stream %s for a client of the other dialect',
    (from, providerDialect, clientDialect, to) => {
      const pieces = piecesOf(providerDialect, framesOf(providerDialect, golden(from)));
      expect(streamText(clientDialect, pieces, ENDS)).toBe(golden(to));
    },
  );
});

/**
 * Returns the finish reason expected after encoding and decoding. Except in the chat-completions
 * dialect, an answer that ended normally has `tool_calls` if and only if it has tool calls.
 */
const endOf = (
  { name }: Dialect,
  pieces: readonly AnswerPiece[],
  finishReason: FinishReason,
): FinishReason => {
  if (name === 'chat-completions' || (finishReason !== 'stop' && finishReason !== 'tool_calls'))
    return finishReason;
  return pieces.some((piece) => piece.case === 'toolCall') ? 'tool_calls' : 'stop';
};
