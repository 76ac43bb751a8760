import { respondWith } from './answer-scripts.ts';
import type { Script } from './script.ts';

export const SCRIPTED_VECTOR = [0.25, -1, 0.1];

/** Responds as an embedding model: one vector for each input, in the requested encoding. */
export const answerEmbeddings: Script = async (exchange) => {
  const { input, encoding_format: encoding } = exchange.request.parsed as Record<string, unknown>;
  const isList = Array.isArray(input) && typeof input[0] !== 'number';
  const inBase64 = Buffer.from(new Float32Array(SCRIPTED_VECTOR).buffer).toString('base64');
  const embedding = encoding === 'base64' ? inBase64 : SCRIPTED_VECTOR;
  const data = Array.from({ length: isList ? input.length : 1 }, (_, index) => ({
    object: 'embedding',
    index,
    embedding,
  }));
  const { model } = exchange.request.parsed as { model: string };
  const usage = { prompt_tokens: 5, total_tokens: 5 };
  await respondWith({ body: { object: 'list', data, model, usage } })(exchange);
};
