import { invalidRequest } from '@witan/contracts';
import { embeddings } from '@witan/dialects';
import { parseModelAddress } from '../../auth/scope.ts';
import type { Route } from '../../http/route.ts';
import {
  DIALECT_BYTES_MAX,
  dialectResponses,
  PROOF_HEADERS,
} from '../completions/dialect-route.ts';
import { serveCompletion } from '../completions/serve-completion.ts';
import type { CompletionServices } from '../completions/serve-completion.ts';
import { checkInput } from './check-input.ts';
import { EMBEDDINGS, EMBEDDINGS_REQUEST } from './embedding-schema.ts';

const DESCRIPTION = `
The request and response of OpenAI's embeddings. \`model\` is an address:

- a model of a provider, such as \`text-embedding-3-small\`, or an alias of the workspace
- \`service-auto\`, \`service-agent\`, and a name that no provider offers: the embedding model that
  the operator configures (\`WITAN_MODEL_EMBEDDING\`), for sensitive input that of the local
  runtime, if it has one
- \`service-sensitive\`, \`+sensitive\`: processed on this machine, or refused

Agents and \`+knowledge\` make no embeddings.

Personal data in texts is masked before it leaves for a hosted provider. A placeholder is the same
for a value in each call of a workspace to a provider, so equal texts get equal vectors. Vectors of
providers that mask differently cannot be compared: use one model and one provider for an index.

A provider's response may have 32 MiB. 2,048 vectors of 1,536 numbers fit as base64, which the
official clients request; of vectors in floats request at most 1,024.

The certificate has \`taskType: embedding\` and commits to the list of the vectors, each as base64
of little-endian 32-bit floats, whichever encoding the client requests.
`.trim();

export const embeddingsRoute = (
  completionServices: CompletionServices,
  timeoutMs: number,
): Route => {
  const serve = serveCompletion(completionServices, embeddings, { timeoutMs });
  return {
    id: 'createEmbedding',
    method: 'post',
    path: '/v1/embeddings',
    surface: 'chat-completions',
    summary: 'Certified embeddings',
    description: DESCRIPTION,
    tag: 'Gateway',
    scopes: ['gateway'],
    body: EMBEDDINGS_REQUEST,
    bodyBytesMax: DIALECT_BYTES_MAX,
    limitsMemory: true,
    idempotent: true,
    responses: {
      200: { description: 'The vectors', schema: EMBEDDINGS, headers: PROOF_HEADERS },
      ...dialectResponses('chat-completions'),
    },
    handle: async (call) => {
      checkAddress(String(call.body.model));
      checkInput(call.body.input);
      return await serve(call);
    },
  };
};

/** Throws INVALID_REQUEST for an address that makes no embeddings. */
const checkAddress = (model: string): void => {
  const { kind, knowledge } = parseModelAddress(model);
  if (kind !== 'agent' && !knowledge) return;
  const subject = kind === 'agent' ? 'an agent' : '+knowledge';
  throw invalidRequest(`model: ${subject} makes no embeddings; name a model.`, { param: 'model' });
};
