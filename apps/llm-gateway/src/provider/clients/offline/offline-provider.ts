import { hash } from 'node:crypto';
import { isServiceError, OFFLINE_MODEL } from '@witan/contracts';
import type { Conversation, Tool } from '@witan/contracts';
import { chatCompletions, parseObject } from '@witan/dialects';
import type { AnswerPiece, AnswerTail, JsonObject } from '@witan/dialects';
import { bodyOf } from '../../provider.ts';
import type { Provider } from '../../provider.ts';
import { createWriter, DISCLOSURE } from './create-writer.ts';
import { fillSchema } from './fill-schema.ts';
import { readPrompt } from './read-prompt.ts';
import { termsOf } from './terms.ts';
import { writeEmbeddings } from './write-embeddings.ts';

const HEAD = { model: OFFLINE_MODEL, created: 0, promptTokensEstimate: 0, wantsUsage: true };
const CHARACTERS_PER_TOKEN = 4;
const estimateTokens = (length: number): number => Math.ceil(length / CHARACTERS_PER_TOKEN);
/** Matches the text of one chunk: up to three words with the spaces around them. */
const CHUNK = /\s*(?:\S+\s*){1,3}/gu;
const REFUSAL = `${DISCLOSURE}; it finds no instance of the JSON Schema.`;
/** Matches the index of the choice in a frame of a stream. */
const FIRST_CHOICE = /("choices":\[\{"index":)0/;
const FRAME_END = /(?<=\n\n)/;
const CHOICES_MAX = 16;
/**
 * Members of a request that the neutral form cannot express. `n` is read separately; the others are
 * ignored.
 */
const OMITTED = new Set(['n', 'logprobs', 'top_logprobs', 'modalities', 'audio']);

/**
 * Creates the provider that responds in this process, without a model: see README.md in this
 * folder. Equal bodies get equal bytes: the id is a hash of the body and `created` is 0.
 */
export const createOfflineProvider = (): Provider => ({
  name: 'offline',
  dialects: ['chat-completions', 'embeddings'],
  complete: async ({ dialect, body }) => {
    const id = hash('sha256', body, 'hex').slice(0, 32);
    const promptTokens = estimateTokens(body.length);
    const head = { ...HEAD, id };
    try {
      const sent = JSON.parse(Buffer.from(body).toString('utf8')) as JsonObject;
      if (dialect === 'embeddings') return respond(200, writeEmbeddings(sent, OFFLINE_MODEL));
      const wanted = Number.isSafeInteger(sent['n']) ? Number(sent['n']) : 1;
      const count = Math.min(Math.max(1, wanted), CHOICES_MAX);
      const members = Object.entries(sent).filter(([name]) => !OMITTED.has(name));
      const { conversation } = chatCompletions.decodeRequest(Object.fromEntries(members));
      const { pieces, tail } = answer(conversation, { id, promptTokens, count });
      if (!conversation.streamed) {
        const text = JSON.stringify(chatCompletions.encodeResponse(head, pieces, tail));
        const { choices, ...rest } = JSON.parse(text) as { choices: [JsonObject] };
        const repeated = Array.from({ length: count }, (_, index) => ({ ...choices[0], index }));
        return respond(200, { ...rest, choices: repeated });
      }
      const { open, piece, end } = chatCompletions.createStreamEncoder(head);
      const frames = [open(), ...pieces.flatMap(toChunks).map(piece), end(tail)].join('');
      const repeated = frames.split(FRAME_END).flatMap((frame) => repeatFrame(frame, count));
      return respond(200, repeated);
    } catch (error) {
      if (!isServiceError(error)) throw error;
      const refusal = chatCompletions.encodeError(error, { requestId: id });
      return respond(refusal.status, refusal.body);
    }
  },
  listModels: async () => [OFFLINE_MODEL],
});

const respond = (status: number, body: object | string[]) => {
  const isStream = Array.isArray(body);
  const type = isStream ? 'text/event-stream' : 'application/json';
  const bytes = (isStream ? body : [JSON.stringify(body)]).map((text) => Buffer.from(text));
  return { status, headers: { 'content-type': type }, body: bodyOf(bytes) };
};

const repeatFrame = (frame: string, count: number): string[] =>
  FIRST_CHOICE.test(frame)
    ? Array.from({ length: count }, (_, index) => frame.replace(FIRST_CHOICE, `$1${index}`))
    : [frame];

const toChunks = (piece: AnswerPiece): AnswerPiece[] =>
  typeof piece.value === 'string'
    ? (piece.value.match(CHUNK) ?? []).map((value) => ({ ...piece, value }) as AnswerPiece)
    : [piece];

/**
 * Answers with a tool call, an instance of the requested schema, a refusal if none is found, or
 * text. The answer is cut at a stop sequence, unless it is a tool call, and at the token limit.
 */
const answer = (
  conversation: Conversation,
  { id, promptTokens, count }: { id: string; promptTokens: number; count: number },
): { pieces: AnswerPiece[]; tail: AnswerTail } => {
  const { stop = [], maxOutputTokens = Infinity } = conversation.sampling ?? {};
  const prompt = readPrompt(conversation);
  const writer = createWriter(prompt);
  const tool = prompt.results.length > 0 ? undefined : chooseTool(conversation, prompt.message);
  const schema = tool ? (parseObject(tool.parameters) ?? {}) : prompt.schema;
  const filled = schema && JSON.stringify(fillSchema(schema, writer));
  const whole = schema ? (filled ?? (tool ? '{}' : REFUSAL)) : writer.write('answer', 0);
  const ends = tool ? [] : stop.map((text) => whole.indexOf(text)).filter((offset) => offset >= 0);
  const stopped = whole.slice(0, Math.min(whole.length, ...ends));
  const value = stopped.slice(0, maxOutputTokens * CHARACTERS_PER_TOKEN).toWellFormed();
  const kind = whole === REFUSAL ? 'refusal' : 'text';
  const pieces: AnswerPiece[] = [{ case: tool ? 'toolArguments' : kind, value }];
  if (tool) pieces.unshift({ case: 'toolCall', value: { id: `call_${id}`, name: tool.name } });
  const completionTokens = count * estimateTokens(value.length);
  const totalTokens = promptTokens + completionTokens;
  const usage = { promptTokens, completionTokens, totalTokens, estimated: false };
  const ending = tool ? 'tool_calls' : 'stop';
  const finishReason = value.length < stopped.length ? 'length' : ending;
  return { pieces, tail: { finishReason, stopSequence: '', usage } };
};

/**
 * Returns the tool that the request forces, or else one whose name's terms are all in the message.
 * If there is none and the request requires a call, returns the first tool.
 */
const chooseTool = ({ tools, toolChoice }: Conversation, message: string): Tool | undefined => {
  const { mode = 'auto', name = '' } = toolChoice ?? {};
  if (mode === 'none') return undefined;
  if (mode === 'tool') return tools.find((tool) => tool.name === name);
  const asked = termsOf(message);
  const isAsked = (tool: Tool): boolean => {
    const terms = [...termsOf(tool.name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_-]/gu, ' '))];
    return terms.length > 0 && terms.every((term) => asked.has(term));
  };
  return tools.find(isAsked) ?? (mode === 'required' ? tools[0] : undefined);
};
