import { invalidRequest } from '@witan/contracts';
import { createEmbeddingAnswer } from '@witan/proof';
import { chatCompletions } from '../chat-completions/dialect.ts';
import type { Endpoint } from '../dialect.ts';
import { findUnreadable, readRequest, readSignals, toEgressEdits } from './edit-request.ts';
import { toRequestLeaf } from './request-leaf.ts';

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
