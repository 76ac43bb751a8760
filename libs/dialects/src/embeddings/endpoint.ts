import { invalidRequest } from '@witan/contracts';
import { createEmbeddingAnswer, parseBase64Vector, toBase64Vector } from '@witan/proof';
import { chatCompletions } from '../chat-completions/dialect.ts';
import type { Endpoint, VectorEncoding } from '../dialect.ts';
import { asList, asObject, orderByIndex } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import {
  findUnreadable,
  readRequest,
  readSignals,
  toEgressEdits,
  toRequestLeaf,
} from './request.ts';

/**
 * Returns a response with its vectors in the requested encoding, because some providers ignore
 * `encoding_format`, and in the order of their index, which is their position for clients; the same
 * object if it has both. A vector that is invalid is unchanged.
 */
export const encodeVectors = (body: JsonObject, encoding: VectorEncoding): JsonObject => {
  const received = asList(body.data);
  const rows = orderByIndex(received);
  const isEncoded = (row: unknown): boolean =>
    (typeof asObject(row)?.embedding === 'string') === (encoding === 'base64');
  if (rows === received && rows.every(isEncoded)) return body;
  return { ...body, data: rows.map((row) => (isEncoded(row) ? row : encodeRow(row, encoding))) };
};

const encodeRow = (value: unknown, encoding: VectorEncoding): unknown => {
  const row = asObject(value);
  const { embedding } = row ?? {};
  const encoded =
    encoding === 'base64' ? toBase64Vector(embedding) : parseBase64Vector(String(embedding));
  return encoded === undefined ? value : { ...row, embedding: encoded };
};

const refuseConversion = (): never => {
  throw invalidRequest('The chosen provider makes no embeddings.', { param: 'model' });
};

/**
 * Wire form of `POST /v1/embeddings`. Its errors are those of chat-completions, as at OpenAI; it
 * has no streams and no neutral form.
 */
export const embeddings: Endpoint = {
  ...chatCompletions,
  name: 'embeddings',
  readRequest,
  readSignals,
  findUnreadable,
  toEgressEdits,
  insertPreamble: (source) => source,
  createAnswer: createEmbeddingAnswer,
  createAnswerNormalizer: undefined,
  toRequestLeaf,
  findAnswerLeaf: (path, body) =>
    path[0] === 'error' ? chatCompletions.findAnswerLeaf(path, body) : undefined,
  decodeRequest: refuseConversion,
  encodeRequest: refuseConversion,
};
