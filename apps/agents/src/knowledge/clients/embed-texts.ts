import { createHash } from 'node:crypto';
import type { CompleteEvent } from '@witan/contracts';
import type { CompletionService } from '@witan/contracts/services';
import { readModelAddress } from '@witan/dialects';
import { commitmentText, createEmbeddingAnswer, parseBase64Vector } from '@witan/proof';
import type { Client } from '@witan/service-kit';
import type { Embedding, EmbedTexts } from '../similarity/embedding.ts';
import { toUnitVector } from '../similarity/unit-vector.ts';

type EmbedTextsDeps = {
  completions: Pick<Client<typeof CompletionService>, 'complete'>;
  /** Model address of the embedding model. */
  model: string;
  newId: (prefix: string) => string;
};

/**
 * Returns an `EmbedTexts` that calls the llm-gateway, which masks, charges and certifies the call
 * as one of `POST /v1/embeddings`.
 */
export const createEmbedTexts = ({ completions, model, newId }: EmbedTextsDeps): EmbedTexts => {
  const { kind, name, sensitive } = readModelAddress(model);
  const address = { requested: model, kind, sensitive, ...(kind === 'model' && { model: name }) };
  return async (workspaceId, texts, options) => {
    const input = texts.map((text) => text.toWellFormed());
    const body = { model, input, encoding_format: 'base64' };
    const request = {
      proofId: newId('pf'),
      address,
      requestSha256: createHash('sha256').update(commitmentText(body)).digest('hex'),
      input: {
        case: 'wire' as const,
        value: { dialect: 'embeddings', json: Buffer.from(JSON.stringify(body)) },
      },
    };
    const events = completions.complete(request, { workspaceId, ...options });
    return readEmbedding(await readResponse(events), texts.length);
  };
};

type WireResponse = { status: number; origin: string; body: Buffer };

const readResponse = async (events: AsyncIterable<CompleteEvent>): Promise<WireResponse> => {
  let status = 0;
  let origin = '';
  const pieces: Uint8Array[] = [];
  for await (const { event } of events) {
    if (event.case === 'opened') {
      ({ status } = event.value);
      origin = `${event.value.provider}/${event.value.model}`;
    }
    if (event.case === 'wire') pieces.push(event.value);
  }
  return { status, origin, body: Buffer.concat(pieces) };
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
