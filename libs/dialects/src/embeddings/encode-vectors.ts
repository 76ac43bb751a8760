import { parseBase64Vector, toBase64Vector } from '@witan/proof';
import type { VectorEncoding } from '../dialect.ts';
import { asList, asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';
import { orderByIndex } from '../json/order-by-index.ts';

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
