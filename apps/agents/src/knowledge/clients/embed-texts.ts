import { createHash } from 'node:crypto';
import type { AnswerSink, Complete } from '@witan/contracts';
import { readModelAddress } from '@witan/dialects';
import { commitmentText, createEmbeddingAnswer, parseBase64Vector } from '@witan/proof';
import type { Embedding, EmbedTexts } from '../similarity/embedding.ts';
import { toUnitVector } from '../similarity/unit-vector.ts';

type EmbedTextsDeps = {
  complete: Complete;
  /** Model address of the embedding model. */
  model: string;
  newId: (prefix: string) => string;
};

/**
 * Returns an `EmbedTexts` that calls the llm-gateway, which masks, charges and certifies the call
 * as one of `POST /v1/embeddings`.
 */
export const createEmbedTexts = ({ complete, model, newId }: EmbedTextsDeps): EmbedTexts => {
  const { kind, name, sensitive } = readModelAddress(model);
  const named = { requested: model, kind, sensitive, model: kind === 'model' ? name : '' };
  const address = { ...named, agent: '', knowledge: false };
  return async (workspaceId, texts, options) => {
    const input = texts.map((text) => text.toWellFormed());
    const body = { model, input, encoding_format: 'base64' };
    const text = JSON.stringify(body);
    const call = {
      proofId: newId('pf'),
      address,
      requestSha256: createHash('sha256').update(commitmentText(body)).digest('hex'),
      input: {
        case: 'wire' as const,
        value: {
          ...{ dialect: 'embeddings', headers: {}, query: '' },
          body: { bytes: Buffer.from(text), text, value: body },
        },
      },
      ...{ systemPreamble: '', purpose: '', answerProofId: '' },
    };
    const { sink, response } = openCollector();
    await complete(call, { workspaceId, ...options }, sink);
    return readEmbedding(response(), texts.length);
  };
};

type WireResponse = { status: number; origin: string; body: Buffer };

const openCollector = (): { sink: AnswerSink; response: () => WireResponse } => {
  let status = 0;
  let origin = '';
  const chunks: Uint8Array[] = [];
  const sink: AnswerSink = {
    opened: (opened) => {
      ({ status } = opened);
      origin = `${opened.provider}/${opened.model}`;
    },
    bytes: (bytes) => {
      chunks.push(bytes);
      return undefined;
    },
    piece: () => undefined,
    refused: () => {},
  };
  return { sink, response: () => ({ status, origin, body: Buffer.concat(chunks) }) };
};

/** The provider answered with an error, which is not charged. */
export class EmbeddingRefusedError extends Error {
  override readonly name = 'EmbeddingRefusedError';
}

/** The call was charged, but its response has no usable vector. */
export class EmbeddingUnusableError extends Error {
  override readonly name = 'EmbeddingUnusableError';
}

const readEmbedding = ({ status, origin, body }: WireResponse, count: number): Embedding => {
  if (status !== 200) throw new EmbeddingRefusedError(`The embedding model answered ${status}.`);
  const answer = createEmbeddingAnswer();
  answer.body(JSON.parse(body.toString('utf8')));
  const vectors = answer.vectors().map((vector) => toUnitVector(parseBase64Vector(vector) ?? []));
  const isUsable = vectors.length === count && vectors.some((vector) => vector !== undefined);
  if (isUsable) return { origin, vectors };
  throw new EmbeddingUnusableError('The embedding model answered without usable vectors.');
};
