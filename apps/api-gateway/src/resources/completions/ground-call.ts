import type { MessageInitShape } from '@bufbuild/protobuf';
import type { CompleteRequestSchema, GroundingSchema } from '@witan/contracts';
import type { KnowledgeService } from '@witan/contracts/services';
import type { JsonObject } from '@witan/dialects';
import type { CallOptions, Client } from '@witan/service-kit';

export type Knowledge = Client<typeof KnowledgeService>;

type CallGrounding = Required<
  Pick<MessageInitShape<typeof CompleteRequestSchema>, 'systemPreamble'>
> & { grounding: MessageInitShape<typeof GroundingSchema> };

/**
 * Finds passages for the question of a call. With `embeddingAllowed`, the question may be sent to
 * a hosted embedding model; it must be false for calls that stay local.
 */
export const groundCall = async (
  knowledge: Pick<Knowledge, 'retrieve'>,
  { body, embeddingAllowed }: { body: JsonObject; embeddingAllowed: boolean },
  options: CallOptions,
): Promise<CallGrounding> => {
  const request = { query: readQuestion(body), embeddingAllowed };
  const { passages, preamble } = await knowledge.retrieve(request, options);
  const found = passages.map(({ sourceId, chunkId, page, sha256 }) => ({
    source: sourceId,
    chunkId,
    page,
    sha256,
  }));
  return { grounding: { passages: found }, systemPreamble: preamble };
};

/**
 * Returns the text of the last user message that has one, because tool results, too, have the role
 * `user`. Returns an empty text if there is none.
 */
export const readQuestion = ({ messages, input }: JsonObject): string => {
  if (typeof input === 'string') return toQuery(input);
  const items = messages ?? input;
  const texts = Array.isArray(items) ? items.filter(isUser).map(textOf) : [];
  return toQuery(texts.findLast((text) => text.trim() !== '') ?? '');
};

/** Maximum length of a query, in UTF-16 units; a message may have 32 MiB. */
const QUERY_LENGTH_MAX = 32_000;

/**
 * Shortens a long text to its beginning and end, because a question usually precedes or follows the
 * text that it is about.
 */
const toQuery = (text: string): string => {
  if (text.length <= QUERY_LENGTH_MAX) return text;
  const half = QUERY_LENGTH_MAX / 2;
  return `${text.slice(0, half)} ${text.slice(-half)}`.toWellFormed();
};

const isUser = (message: unknown): message is JsonObject =>
  isObject(message) && message.role === 'user';

const textOf = ({ content }: JsonObject): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.flatMap((part: unknown) => (isText(part) ? [part.text] : [])).join('\n');
};

const isText = (part: unknown): part is { text: string } =>
  isObject(part) && TEXT_TYPES.has(part.type) && typeof part.text === 'string';

const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text']);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
