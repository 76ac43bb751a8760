import type { Conversation, Part } from '@witan/contracts';
import { parseObject } from '@witan/dialects';
import type { JsonObject } from '@witan/dialects';
import { sentencesOf } from './terms.ts';

/** Text that an answer may quote, and the source that it names for it. */
export type Passage = { source: string; text: string };

export type Prompt = {
  /** System instructions without blocks of data. They are never quoted. */
  instructions: string;
  /** The user's last message without blocks of data. */
  message: string;
  /** The last sentence of the message that ends in a question mark, or else its first sentence. */
  question: string;
  passages: readonly Passage[];
  /** Results that tools have returned since the message. */
  results: readonly Passage[];
  /** JSON Schema of the answer; undefined for plain text. */
  schema: JsonObject | undefined;
  /** True if the schema asks for settings: for an object of numbers that all have a default. */
  wantsSettings: boolean;
};

/** Maximum length of a message or of the instructions that is read, in UTF-16 units. */
const TEXT_LENGTH_MAX = 50_000;
const QUESTION = /[?？؟;]["'”’»)\]]*$/u;

/** Reads from a conversation what an answer needs. */
export const readPrompt = ({ system, turns, responseFormat }: Conversation): Prompt => {
  const instructions = splitBlocks(system.map(({ text }) => text).join('\n\n'));
  const messageIndex = turns.findLastIndex(
    ({ role, parts }) => role === 'user' && textOf(parts) !== '',
  );
  const { outside: message, blocks } = splitBlocks(textOf(turns[messageIndex]?.parts ?? []));
  const sentences = sentencesOf(message);
  const question = sentences.findLast((sentence) => QUESTION.test(sentence)) ?? sentences[0] ?? '';
  const schema = readSchema(responseFormat, instructions.outside);
  const rest = sentences.filter((sentence) => sentence !== question).join('\n');
  return {
    instructions: instructions.outside,
    message,
    question,
    passages: [...instructions.blocks, ...blocks, { source: 'your message', text: rest }],
    results: turns.slice(Math.max(0, messageIndex)).flatMap(({ parts }) => parts.flatMap(toResult)),
    schema,
    wantsSettings: asksForSettings(schema),
  };
};

const textOf = (parts: readonly Part[]): string =>
  parts
    .flatMap(({ part }) => (part.case === 'text' ? [part.value.text] : []))
    .join('\n')
    .slice(0, TEXT_LENGTH_MAX)
    .toWellFormed();

const toResult = ({ part }: Part): Passage[] =>
  part.case === 'toolResult' ? [{ source: 'tool result', text: textOf(part.value.parts) }] : [];

/** Matches a block of data: from a line `--- LABEL ---` to a line `--- END ... ---`. */
const BLOCK =
  /^--- (?!END\b)(?<label>.+?)(?: \([^()\n]*\))? ---\n(?<text>(?:(?!--- ).*\n)*)--- END\b.*$/gmu;

const splitBlocks = (given: string): { outside: string; blocks: Passage[] } => {
  const text = given.slice(0, TEXT_LENGTH_MAX);
  const found = [...text.matchAll(BLOCK)].map(({ groups }) => groups!);
  const blocks = found.map((block) => ({ source: block['label']!, text: block['text']! }));
  return { outside: text.replaceAll(BLOCK, ''), blocks };
};

/** Schema of an answer in JSON for which no schema is given. */
const ANY_OBJECT = { type: 'object', properties: { answer: {} }, required: ['answer'] };

/**
 * Returns the schema of the format, or else the last line of the instructions that looks like one,
 * or else ANY_OBJECT. Returns undefined without a format.
 */
const readSchema = (format: Conversation['responseFormat'], instructions: string) => {
  if (!format) return undefined;
  const lines = instructions.split('\n').filter((line) => /^\{"type":.*\}$/u.test(line));
  return parseObject(format.schema || (lines.at(-1) ?? '')) ?? ANY_OBJECT;
};

const SCHEMA_DEPTH_MAX = 32;

const asksForSettings = (schema: unknown, depth = 0): boolean => {
  if (typeof schema !== 'object' || schema === null || depth > SCHEMA_DEPTH_MAX) return false;
  const { properties } = schema as { properties?: Record<string, JsonObject> };
  const members = Object.values(properties ?? {});
  const isSetting = ({ type, default: value }: JsonObject): boolean =>
    type === 'number' && typeof value === 'number';
  return (
    (members.length > 0 && members.every(isSetting)) ||
    members.some((member) => asksForSettings(member, depth + 1))
  );
};
