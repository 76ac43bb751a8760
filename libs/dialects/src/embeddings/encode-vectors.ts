import { parseBase64Vector, toBase64Vector } from '@witan/proof';
import type { VectorEncoding } from '../dialect.ts';
import { asList, asObject } from '../json/json-value.ts';
import type { JsonObject } from '../json/json-value.ts';

/**
 * Returns a response with its vectors in the requested encoding, because some providers ignore
 * `encoding_format`; the same object if they are in it. A vector that is invalid is unchanged.
 */
export const encodeVectors = (body: JsonObject, encoding: VectorEncoding): JsonObject => {
  const rows = asList(body.data);
  const isEncoded = (row: unknown): boolean =>
    (typeof asObject(row)?.embedding === 'string') === (encoding === 'base64');
  if (rows.every(isEncoded)) return body;
  return { ...body, data: rows.map((row) => (isEncoded(row) ? row : encodeRow(row, encoding))) };
};

const encodeRow = (value: unknown, encoding: VectorEncoding): unknown => {
  const row = asObject(value);
  const { embedding } = row ?? {};
  const encoded =
    encoding === 'base64' ? toBase64Vector(embedding) : parseBase64Vector(String(embedding));
  return encoded === undefined ? value : { ...row, embedding: encoded };
};
